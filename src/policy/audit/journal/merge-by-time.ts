/** Something that happened at a time: ISO 8601 in UTC, so that text order is time order. */
export interface Timed {
  readonly time: string;
}

/** A source in time order. It is opened when the merge arrives at its start. */
export interface TimedSource<T extends Timed> {
  /** Nothing in it is older. */
  readonly start: string;
  open(): AsyncGenerator<T, void, undefined>;
}

interface Opened<T extends Timed> {
  readonly rest: AsyncGenerator<T, void, undefined>;
  next: T;
}

/** Several sources as one in time order, holding one item of each that is open. */
export async function* mergeByTime<T extends Timed>(
  sources: readonly TimedSource<T>[],
): AsyncGenerator<T, void, undefined> {
  const waiting = sources.toSorted((a, b) => (a.start < b.start ? -1 : 1));
  const opened: Opened<T>[] = [];
  try {
    for (;;) {
      const earliest = findEarliest(opened);
      const [nearest] = waiting;
      if (nearest !== undefined && (earliest === undefined || nearest.start <= earliest.next.time)) {
        waiting.shift();
        const rest = nearest.open();
        const { value } = await rest.next();
        if (value !== undefined) opened.push({ rest, next: value });
      } else if (earliest !== undefined) {
        yield earliest.next;
        const { value } = await earliest.rest.next();
        if (value === undefined) opened.splice(opened.indexOf(earliest), 1);
        else earliest.next = value;
      } else return;
    }
  } finally {
    // Whoever stops early has the files closed.
    await Promise.all(opened.map(({ rest }) => rest.return()));
  }
}

function findEarliest<T extends Timed>(opened: readonly Opened<T>[]): Opened<T> | undefined {
  return opened.reduce<Opened<T> | undefined>(
    (earliest, each) => (earliest === undefined || each.next.time < earliest.next.time ? each : earliest),
    undefined,
  );
}
