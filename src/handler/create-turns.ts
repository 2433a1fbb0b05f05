/** Runs the tasks of one key one after the other, in the order in which they came; those of other keys meanwhile. */
export type TakeTurn = <T>(key: string, task: () => Promise<T>) => Promise<T>;

export function createTurns(): TakeTurn {
  const lastOf = new Map<string, Promise<unknown>>();
  return async (key, task) => {
    const turn = (lastOf.get(key) ?? Promise.resolve()).then(task);
    const over = turn.catch(() => undefined);
    lastOf.set(key, over);
    try {
      return await turn;
    } finally {
      if (lastOf.get(key) === over) lastOf.delete(key);
    }
  };
}
