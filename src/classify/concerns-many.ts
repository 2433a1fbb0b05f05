import type { ToolFacts } from './facts.js';
import { BULK } from './risk-words.js';
import { isPlural } from './text/noun-phrase.js';

/** Whether the tool concerns many things at once. */
export function concernsMany({ words, descriptionText }: ToolFacts, keys: ReadonlySet<string>): boolean {
  return (
    words.some(
      (word) => BULK.test(word) || (isPlural(word) && !/^(?:status|address|access|canvas|dns|alias)$/.test(word)),
    ) ||
    [...keys].some((key) => /^(?:many|multi|multiple|bulk|all|batch)$/.test(key)) ||
    /\bby (?:tag|label|quer|filter)|\ball (?:\w+ )?(?:that|which|match)/i.test(descriptionText.slice(0, 300))
  );
}
