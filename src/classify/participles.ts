import { setOfWords } from './lexicon.js';

/** Participles without -ed. */
const PARTICIPLES = setOfWords(
  'spent sent seen held kept left due owed lost taken given drawn driven worn torn caught met built read shot available closest nearest similar related made known found',
);
/** Words in -ed that are no participles. */
const NO_PARTICIPLE =
  /^(?:shed|wed|bed|led|red|read|bred|seed|need|feed|weed|deed|heed|reed|speed|breed|greed|creed|bleed|steed|indeed|exceed|proceed|succeed|hundred|sacred|embed|shred|sled|fled)$|(?:thread|spread)$/;

/** Whether a word is a participle, which stands behind the noun it belongs to: "found", "published". */
export function isParticiple(word: string): boolean {
  return PARTICIPLES.has(word) || (word.length > 4 && word.endsWith('ed') && !NO_PARTICIPLE.test(word));
}
