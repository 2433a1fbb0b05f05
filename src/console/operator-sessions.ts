import { createHash, randomBytes } from 'node:crypto';
import type { Notice } from './layout/frame.js';

/** An operator who is signed in with one browser. */
export interface OperatorSession {
  readonly operator: string;
  /** What every form of this session carries, and no other site knows. */
  readonly csrf: string;
  /** Whether it goes on: a session ends when it is old or unused, or when what the operator signed in with does not count any more. */
  isLive(): boolean;
  /** Keeps a notice for the next page. */
  notify(notice: Notice): void;
  /** The notices that no page has shown. */
  takeNotices(): readonly Notice[];
}

export interface SignIn {
  readonly operator: string;
  /** Whether the token or sign-in still counts. */
  readonly counts: () => boolean;
}

/** A session that no page was asked for in this time ends. */
const IDLE_MS = 3_600_000;

/** The longest time for which a session goes on. */
const LONGEST_MS = 12 * 3_600_000;

/** Sessions at one time; of one operator and of all the one that was used longest ago makes room. */
const MOST_OF_ONE = 20;
const MOST = 500;

const MOST_NOTICES = 5;

interface Kept extends OperatorSession {
  usedAt: number;
}

/** The operators who are signed in at this process. */
export class OperatorSessions {
  // Keyed by digests: the time of a look-up then reveals nothing about an id's first characters. In the order of use.
  readonly #sessions = new Map<string, Kept>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** @returns the id, which the operator's browser alone has */
  open(signIn: SignIn): string {
    this.#dropEnded();
    this.#makeRoom((session) => session.operator === signIn.operator, MOST_OF_ONE);
    this.#makeRoom(() => true, MOST);
    const id = randomBytes(32).toString('base64url');
    this.#sessions.set(digest(id), this.#create(id, signIn));
    return id;
  }

  /** @param uses whether a person asks, so that the session goes on */
  find(id: string | undefined, uses = true): OperatorSession | undefined {
    const key = id === undefined ? '' : digest(id);
    const session = this.#sessions.get(key);
    if (session === undefined) return undefined;
    if (!session.isLive()) {
      this.#sessions.delete(key);
      return undefined;
    }
    if (uses) {
      session.usedAt = this.#now();
      this.#sessions.delete(key);
      this.#sessions.set(key, session);
    }
    return session;
  }

  end(id: string): void {
    this.#sessions.delete(digest(id));
  }

  #create(id: string, { operator, counts }: SignIn): Kept {
    const openedAt = this.#now();
    let notices: readonly Notice[] = [];
    const session: Kept = {
      operator,
      csrf: csrfOf(id),
      usedAt: openedAt,
      isLive: () => {
        const now = this.#now();
        const isKept = this.#sessions.get(digest(id)) === session;
        return isKept && now - session.usedAt < IDLE_MS && now - openedAt < LONGEST_MS && counts();
      },
      notify: (notice) => {
        notices = [...notices, notice].slice(-MOST_NOTICES);
      },
      takeNotices: () => {
        const taken = notices;
        notices = [];
        return taken;
      },
    };
    return session;
  }

  #dropEnded(): void {
    for (const [key, session] of this.#sessions) if (!session.isLive()) this.#sessions.delete(key);
  }

  #makeRoom(isMeant: (session: Kept) => boolean, most: number): void {
    const meant = [...this.#sessions].filter(([, session]) => isMeant(session));
    for (const [key] of meant.slice(0, Math.max(0, meant.length - most + 1))) this.#sessions.delete(key);
  }
}

/** What forms carry in a browser with this id. Nobody who has not the id can make it. */
export function csrfOf(id: string): string {
  return createHash('sha256').update(`csrf ${id}`).digest('base64url');
}

function digest(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}
