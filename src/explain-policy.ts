import { bindArguments } from './catalog/bind-arguments.js';
import type { Explanation, RuleBook } from './policy/rules/rule-book.js';
import type { JsonObject } from './protocol/json.js';
import type { Operation } from './protocol/operation.js';

/** A call that has not been made. */
export interface PolicyQuestion {
  readonly operation: Operation;
  /** As a caller would send them. */
  readonly params: JsonObject;
  /** The authenticated client that would call. */
  readonly client?: string;
}

/** What policy would say of a call. Parameters that do not fit the operation are looked at as they are. */
export function explainPolicy(rules: RuleBook, { operation, params, client }: PolicyQuestion): Explanation {
  const bound = bindArguments(operation, params);
  const args = bound.ok ? bound.arguments : params;
  return rules.explain(operation, args, client === undefined ? {} : { client });
}
