import type { Confirmer, Decision } from '../../config/gateway-config.js';
import type { Caller } from '../../protocol/call.js';
import type { JsonObject } from '../../protocol/json.js';
import type { DangerLevel, Operation, TrustLevel } from '../../protocol/operation.js';
import type { StaticDecision } from '../admission.js';

/** What is decided about one call, and by what. */
export interface PolicyDecision {
  readonly effect: Decision;
  readonly requires: Confirmer;
  readonly cooldownSeconds: number;
  /** The deciding rule's name; null where the matrix or the read-only switch decided. */
  readonly rule: string | null;
  readonly by: 'rule' | 'matrix' | 'read-only';
  /** The deciding rule's reason. */
  readonly reason: string | null;
  readonly danger: DangerLevel;
  readonly trust: TrustLevel;
}

/** One line of the way to a ruling, for operators. */
export interface RuleTrace {
  readonly rule: string;
  readonly decision: Decision;
  readonly matches: boolean;
  /** In words: what matched, or the first thing that did not, or that its parameters decide. */
  readonly why: string;
}

export interface Explanation {
  readonly operation: string;
  readonly decision: PolicyDecision;
  /** What the trust matrix says by itself, and whether a rule lifted it. */
  readonly matrix: { readonly decision: Decision; readonly lifted: boolean };
  readonly rules: readonly RuleTrace[];
  /** One sentence: what decides and why. */
  readonly summary: string;
}

/** The configured rules over the trust matrix. Pure: the same question has the same answer. */
export interface RuleEngine {
  decide(operation: Operation, args: JsonObject, caller: Pick<Caller, 'client'>): PolicyDecision;
  /** What holds for every call of the operation, before parameters and clients are known. */
  staticDecision(operation: Operation): StaticDecision;
  explain(operation: Operation, args: JsonObject, caller: Pick<Caller, 'client'>): Explanation;
}
