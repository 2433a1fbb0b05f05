import type { Category, DangerLevel, Risk, RiskCondition } from '../base/protocol/operation.js';
import type { ArgumentField } from './argument-fields.js';
import type { ToolFacts } from './facts.js';

/** What a rule knows beside the argument. */
export interface RiskContext {
  readonly category: Category;
  readonly facts: ToolFacts;
  /** The names of the tool's own parameters, as `ArgumentField.key`. */
  readonly keys: ReadonlySet<string>;
}

export type RiskFinding = Omit<Risk, 'path' | 'simulated'>;

/** One way to recognise arguments that make a call more dangerous. The first rule that finds something counts. */
export interface RiskRule {
  readonly id: string;
  /** Which tools it looks at: those that read, or those that change something; all where it is absent. */
  readonly of?: 'reads' | 'writes';
  /** Set where a dry run may do it nevertheless: it is not part of the change. */
  readonly apart?: true;
  readonly find: (field: ArgumentField, context: RiskContext) => RiskFinding | undefined;
}

export const nameOf = ({ path }: ArgumentField): string => path.join('.');

/** @param what it does: "lists what is removed" */
export function lose(field: ArgumentField, what: string): { readonly danger: DangerLevel; readonly reason: string } {
  return { danger: 'destructive', reason: `parameter '${nameOf(field)}' ${what}` };
}

/** What is on unless a call switches it off counts for every call that does not; a READ would then be none. */
export function switchedOn({ onByDefault }: ArgumentField, reads: boolean): RiskCondition {
  return onByDefault && !reads ? { unless: [false] } : { is: [true] };
}
