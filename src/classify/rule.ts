import type { ToolFacts } from './facts.js';
import type { Effect } from './words/lexicon.js';

/** Evidence that a rule found in a tool. */
export interface RuleMatch {
  readonly effect: Effect;
  /** The line of evidence. */
  readonly says: string;
  /** The verb or noun it was found by. */
  readonly word?: string | undefined;
  /** Multiplies the rule's weight; 1 where left out. */
  readonly share?: number | undefined;
}

/** One way to find out what a tool does. The matches' effects carry the votes per category (`EFFECTS`). */
export interface Rule {
  /** Stable kebab-case id. */
  readonly id: string;
  readonly looksAt: 'name' | 'title' | 'description' | 'parameters' | 'annotations';
  /** Set where the rule judges a tool as a whole, and so does not apply to one value of a grouped tool. */
  readonly wholeTool?: true;
  /** Up to 12; a verb that leads the name has 10. */
  readonly weight: number;
  /** What the rule means, for operators. */
  readonly meaning: string;
  readonly find: (facts: ToolFacts) => readonly RuleMatch[];
}

/** A rule's match with the weight it has for this tool. */
export interface Signal extends RuleMatch {
  readonly rule: Rule;
  readonly weight: number;
}
