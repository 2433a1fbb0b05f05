import { type Caller, principalOf } from '../../base/protocol/caller.js';
import { type DangerLevel, dangerRank, type Operation } from '../../base/protocol/operation.js';
import type { AgentSettings } from '../../config/safety-config.js';
import { type ActionPatterns, type Hold, restrictionOn } from './evaluate-step.js';
import type { MeantOperation } from './hints.js';

/** What holds an agent until a person has answered. */
export interface Pause {
  readonly kind: Hold;
  readonly challenge: string;
  /** The action that waits, as `keyOfAction` gives it. */
  readonly action: string;
  readonly reason: string;
  readonly factors: readonly string[];
  /** The operations that an agreement opens, as people are shown them. */
  readonly opens: readonly MeantOperation[];
  /** Milliseconds since the epoch, like all times here. */
  readonly since: number;
}

/** What a person has let an action do. */
export interface Agreement {
  readonly kind: 'confirm' | 'verify';
  readonly opens: readonly MeantOperation[];
}

/** An operation that a step may call once. */
export interface Grant extends MeantOperation {
  /** Set where a person has agreed to it. */
  readonly agreed?: true;
}

/** One agent that runs. Each change makes a new one. */
export interface Run {
  readonly execution: string;
  /** What the client calls it. */
  readonly agent: string;
  readonly session: string;
  readonly subject: string;
  readonly settings: AgentSettings;
  readonly patterns: ActionPatterns;
  readonly startedAt: number;
  /** Steps since a person last agreed that it goes on. */
  readonly steps: number;
  readonly failures: number;
  /** How often each action was reported. */
  readonly reported: ReadonlyMap<string, number>;
  readonly pause?: Pause;
  /** What a person has agreed to, by action; good for one report of it. */
  readonly agreed: ReadonlyMap<string, Agreement>;
  /** The operations that the last step may call, each once. */
  readonly granted: readonly Grant[];
  readonly pending: readonly PendingPermission[];
  /** What to tell the agent with the next directive, once. */
  readonly news: readonly { readonly message: string; readonly at: number }[];
}

/** An operation that policy asks to have confirmed. */
interface PendingPermission {
  readonly operation: string;
  readonly level: string;
  readonly reason: string;
  /** The digest of the token that confirms it. */
  readonly token: string;
  readonly since: number;
}

/** Actions whose repetition is counted. */
const MOST_ACTIONS = 200;

/** Notices of operations to be confirmed, for one agent; the oldest make room. */
export const MOST_PENDING = 20;

/** The agents that run in this process. Those of a session end with it. */
export class Runs {
  readonly #runs = new Map<string, Run>();
  readonly #busy = new Map<string, Promise<unknown>>();

  get(execution: string): Run | undefined {
    return this.#runs.get(execution);
  }

  set(run: Run): void {
    this.#runs.set(run.execution, run);
  }

  delete(execution: string): void {
    this.#runs.delete(execution);
  }

  all(): readonly Run[] {
    return [...this.#runs.values()];
  }

  ofSession(session: string): readonly Run[] {
    return this.all().filter((run) => run.session === session);
  }

  /** A new challenge takes the place of one that is used up. */
  rechallenge(before: string, after: string): void {
    for (const run of this.all()) {
      if (run.pause?.challenge === before) this.set({ ...run, pause: { ...run.pause, challenge: after } });
    }
  }

  /** Does the work when earlier work about the same agent is done: reports of one agent are judged one after the other. */
  async inTurn<T>(execution: string, work: () => Promise<T>): Promise<T> {
    const before = this.#busy.get(execution) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#busy.set(execution, turn);
    try {
      return await turn;
    } finally {
      if (this.#busy.get(execution) === turn) this.#busy.delete(execution);
    }
  }
}

/** The run after one more report of an action. */
export function countReport(run: Run, action: string, failed: boolean): Run {
  const reported = new Map(run.reported);
  const times = reported.get(action) ?? 0;
  reported.delete(action);
  reported.set(action, times + 1);
  const [oldest] = reported.keys();
  if (reported.size > MOST_ACTIONS && oldest !== undefined) reported.delete(oldest);
  return { ...run, steps: run.steps + 1, failures: run.failures + (failed ? 1 : 0), reported };
}

/** The run without its pause; with what a person agreed to, where one did. */
export function resume(run: Run, agreed: Agreement['kind'] | undefined): Run {
  const { pause, ...rest } = run;
  if (pause === undefined || agreed === undefined) return rest;
  const { action, opens } = pause;
  return { ...rest, steps: 0, agreed: new Map([...run.agreed, [action, { kind: agreed, opens }]]) };
}

/** What the last step of the run lets this operation do; undefined where it does not let it run, or only a person could have. */
export function grantOf({ granted, patterns }: Run, operation: Operation): Grant | undefined {
  const grant = granted.find((each) => covers(each, operation, operation.classification.danger.level));
  return grant?.agreed === true || restrictionOn(operation, patterns) === undefined ? grant : undefined;
}

/** Whether what is meant is this operation, at this danger or above. */
export function covers(meant: MeantOperation, { qualifiedName }: Operation, danger: DangerLevel): boolean {
  return meant.operation.qualifiedName === qualifiedName && dangerRank(danger) <= dangerRank(meant.danger);
}

/**
 * Whose agents a caller's are, in all of its sessions: the authenticated user's or client's; of a caller without a token those of its network
 * address, which is weaker. Never the name that a client gives its agent: a name is changed in a moment.
 */
export function subjectOf(caller: Caller): string {
  const principal = principalOf(caller);
  if (principal !== undefined) return `${principal.kind}/${principal.name}`;
  return caller.peer === undefined ? caller.transport : `address/${caller.peer}`;
}
