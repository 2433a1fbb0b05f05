import type { Confirmer, Decision } from '../../config/policy-config.js';
import type { CallerFacts } from '../../protocol/call.js';
import type { JsonObject } from '../../protocol/json.js';
import type { DangerLevel, Operation, TrustLevel } from '../../protocol/operation.js';
import type { StaticDecision } from '../admission.js';

/** The decision about one call, and what decided it. */
export interface PolicyDecision {
  readonly effect: Decision;
  readonly requires: Confirmer;
  readonly cooldownSeconds: number;
  /** The deciding rule's name; null where the matrix, the read-only switch or the operation's own declaration decided. */
  readonly rule: string | null;
  readonly by: 'rule' | 'matrix' | 'read-only' | 'operation';
  /** The deciding rule's reason. */
  readonly reason: string | null;
  readonly danger: DangerLevel;
  readonly trust: TrustLevel;
}

/** How one rule contributed to a decision, for operators. */
export interface RuleTrace {
  readonly rule: string;
  readonly decision: Decision;
  readonly matches: boolean;
  /** In words: what matched, or the first condition that did not, or that the parameters decide. */
  readonly why: string;
}

export interface Explanation {
  readonly operation: string;
  readonly decision: PolicyDecision;
  /** The trust matrix's own decision, and whether a rule lifted it. */
  readonly matrix: { readonly decision: Decision; readonly lifted: boolean };
  readonly rules: readonly RuleTrace[];
  /** One sentence: what decides and why. */
  readonly summary: string;
}

/** Applies the configured rules and the trust matrix. Pure: equal arguments give equal decisions. */
export interface RuleEngine {
  decide(operation: Operation, args: JsonObject, caller: CallerFacts): PolicyDecision;
  /** The decision about the operation before parameters and clients are known. @param view where it is called; the whole where absent */
  staticDecision(operation: Operation, view?: string): StaticDecision;
  explain(operation: Operation, args: JsonObject, caller: CallerFacts): Explanation;
}
