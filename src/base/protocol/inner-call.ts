import type { JsonObject } from '../json/json.js';
import type { Category, Operation } from './operation.js';
import type { Decision } from './policy-decision.js';

/** What makes a call within a call: a batch its items, an update that merges its reads, a list that is one page its other pages. */
export type InnerKind = 'batch' | 'program' | 'relation' | 'merge' | 'page' | 'poll' | 'retry';

/** What each stage makes of a call within a call. */
interface InnerTreatment {
  /** decode: whether it names what the tool of the outer call reaches, or any operation. */
  readonly names: 'of the tool' | 'any';
  /** validate: whether it may only read. */
  readonly readsOnly: boolean;
  /** validate: whether it may be about executions, which are for whoever waits for them. */
  readonly reachesExecutions: boolean;
  /** authorize: whether a question of policy reaches its caller; it is refused otherwise. */
  readonly asks: boolean;
  /** The safety loop: whether an agent reports it, or has with the outer call. */
  readonly step: 'own' | 'of the outer call';
  /** throttle: what budgets of answers count: its answer, its share of the outer call's, or nothing, as no caller gets it. */
  readonly answer: 'own' | 'share' | 'none';
  /** Whether it may go on in the background where it asks for that; the outer call waits otherwise. */
  readonly background: boolean;
  /** dispatch: whether the cache may answer it. */
  readonly cached: boolean;
  /** The name of its span. */
  readonly span: string;
}

/** The reads that the gateway makes to answer a call, which are as that one's own. */
const READ: InnerTreatment = {
  names: 'any',
  readsOnly: true,
  reachesExecutions: false,
  asks: false,
  step: 'of the outer call',
  answer: 'none',
  background: false,
  cached: true,
  span: 'inner read',
};

/** A call of an operation by its caller, through another one. */
const CALL: InnerTreatment = {
  names: 'any',
  readsOnly: false,
  reachesExecutions: false,
  asks: true,
  step: 'own',
  answer: 'share',
  background: false,
  cached: true,
  span: 'inner call',
};

/** A kind that is added says it to every stage, and a stage that is added asks every kind: neither compiles otherwise. */
export const INNER_TREATMENTS: Readonly<Record<InnerKind, InnerTreatment>> = {
  batch: {
    ...CALL,
    names: 'of the tool',
    reachesExecutions: true,
    answer: 'own',
    background: true,
    span: 'batch item',
  },
  program: CALL,
  relation: { ...READ, step: 'own', answer: 'share' },
  merge: { ...READ, cached: false },
  page: { ...READ, span: 'page' },
  poll: { ...READ, readsOnly: false, cached: false, span: 'poll' },
  retry: { ...CALL, names: 'of the tool', answer: 'none', span: 'retry' },
};

/** Which operations a call may reach that a handler makes. */
export interface InnerReach {
  /** The family whose tool the call stands for; absent where it may be any. */
  readonly family?: string | undefined;
  /** Throws where the call may not be made. @param operation as the call uses it */
  readonly admits?: ((operation: Operation) => void) | undefined;
}

/** The characters that a call has got of others, by their operations: its own answer is made of them. */
export type AnswerParts = Map<Operation, number>;

/** What a call within a call belongs to. */
export interface Within extends InnerReach, InnerTreatment {
  readonly parts: AnswerParts | undefined;
}

/** What a call would be, and what policy says of its operation. */
export interface ForeseenCall {
  readonly operation: string;
  readonly category: Category;
  readonly params: JsonObject;
  readonly effect: Decision;
}
