/** Remembers what a session has been told, so that it is told once. */
export interface ToldOnce {
  /** Whether this is the first time that the session is to hear of the subject. Remembers that it now has. */
  isNews(sessionId: string, subject: string): boolean;
  endSession(sessionId: string): void;
}

/** So many subjects are remembered of all sessions together; forgetting one costs a repeated warning. */
const MOST_REMEMBERED = 10_000;

/** @param most how many subjects are remembered; the sessions that began first are forgotten first. */
export function createToldOnce(most = MOST_REMEMBERED): ToldOnce {
  const sessions = new Map<string, Set<string>>();
  let remembered = 0;
  const forget = (sessionId: string): void => {
    remembered -= sessions.get(sessionId)?.size ?? 0;
    sessions.delete(sessionId);
  };
  return {
    isNews(sessionId, subject) {
      const told = sessions.get(sessionId) ?? new Set<string>();
      if (told.has(subject)) return false;
      sessions.set(sessionId, told.add(subject));
      remembered += 1;
      for (const oldest of sessions.keys()) {
        if (remembered <= most) break;
        forget(oldest);
      }
      return true;
    },
    endSession: forget,
  };
}
