import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { escapeInvisible } from '../../base/lib/text.js';
import type { Hold } from './evaluate-step.js';

const KINDS = ['confirm', 'verify', 'block'] as const satisfies readonly Hold[];

/** How a challenge ended: a person agreed, or a wrong or late code used it up. */
const ENDS = ['agreed', 'failed'] as const;

/** A question to a person about one action of an agent; the person has the code, and the agent only the id. */
export interface Challenge {
  /** A random UUID. */
  readonly id: string;
  readonly kind: Hold;
  /** Whose agent it is: the authenticated client or user, else the network address. */
  readonly subject: string;
  /** What the client calls its agent. */
  readonly agent: string;
  readonly execution: string;
  /** What the agent is about to do, in its words and without secrets. */
  readonly action: string;
  readonly reason: string;
  readonly factors: readonly string[];
  /** Milliseconds since the epoch, like all times here. */
  readonly issuedAt: number;
  /** Until then the code counts. */
  readonly expiresAt: number;
  /** Of the code; never the code itself. */
  readonly digest: string;
  readonly end?: (typeof ENDS)[number];
  /** Who agreed: `code`, or an operator's name. */
  readonly by?: string;
}

type ChallengeState = 'open' | 'expired' | (typeof ENDS)[number];

export function stateOf({ end, expiresAt }: Challenge, now: number): ChallengeState {
  return end ?? (expiresAt <= now ? 'expired' : 'open');
}

/** As people see it: without what the code could be checked with. */
export type DescribedChallenge = Omit<Challenge, 'digest' | 'end' | 'issuedAt' | 'expiresAt'> & {
  readonly status: ChallengeState;
  /** ISO 8601. */
  readonly issuedAt: string;
  readonly expiresAt: string;
};

export function describeChallenge(challenge: Challenge, now: number): DescribedChallenge {
  const { digest: _digest, end: _end, issuedAt, expiresAt, action, ...rest } = challenge;
  return {
    ...rest,
    action: escapeInvisible(action),
    status: stateOf(challenge, now),
    issuedAt: new Date(issuedAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

export function writeChallenge({ id: _id, factors, ...rest }: Challenge): JsonObject {
  return { ...rest, factors: [...factors] };
}

/** Undefined for a record that another version has written, and that this one does not know. */
export function readChallenge(id: string, value: unknown): Challenge | undefined {
  if (!isJsonObject(value)) return undefined;
  const { subject, agent, execution, action, reason, factors, issuedAt, expiresAt, digest, by } = value;
  const kind = KINDS.find((each) => each === value['kind']);
  const end = ENDS.find((each) => each === value['end']);
  if (kind === undefined || typeof subject !== 'string' || typeof agent !== 'string') return undefined;
  if (typeof execution !== 'string' || typeof action !== 'string' || typeof reason !== 'string') return undefined;
  if (typeof issuedAt !== 'number' || typeof expiresAt !== 'number' || typeof digest !== 'string') return undefined;
  return {
    id,
    kind,
    subject,
    agent,
    execution,
    action,
    reason,
    factors: Array.isArray(factors) ? factors.filter((factor) => typeof factor === 'string') : [],
    issuedAt,
    expiresAt,
    digest,
    ...(end === undefined ? {} : { end }),
    ...(typeof by === 'string' ? { by } : {}),
  };
}
