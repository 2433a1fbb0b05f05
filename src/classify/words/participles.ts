import { setOfWords } from './lexicon.js';
import { wordList } from './word-lists.js';

/** Participles without -ed. */
const PARTICIPLES = wordList('participles');
/** Words in -ed that are no participles. */
const NO_PARTICIPLE =
  /^(?:shed|wed|bed|led|red|read|bred|seed|need|feed|weed|deed|heed|reed|speed|breed|greed|creed|bleed|steed|indeed|exceed|proceed|succeed|hundred|sacred|embed|shred|sled|fled)$|(?:thread|spread)$/;

/** Whether a word is a participle, which stands behind the noun it belongs to: "found", "published". */
export function isParticiple(word: string): boolean {
  return PARTICIPLES.has(word) || (word.length > 4 && word.endsWith('ed') && !NO_PARTICIPLE.test(word));
}

/** Participles that say in what state something is, and no more. */
const STATES = wordList('states');
/** Behind a participle they say what became of the thing. */
const WHITHER = setOfWords('home away off into back up out down again');

/**
 * "Seat reserved until tomorrow", "Guests moved to another table", "Parcel returned": a thing with what was done to it, which is told
 * after it was done. "Students enrolled in a course" are shown.
 */
export function isDone([thing = '', ...rest]: readonly string[]): boolean {
  const at = rest.findIndex(isParticiple);
  if (at < 0 || at > 1) return rest.at(-1) === 'again';
  const next = rest[at + 1] ?? '';
  // "Items added to the library lately" are shown, "Guests moved to another table" are moved.
  const moved = WHITHER.has(next) || (next === 'to' && /^(?:an?|another|other)$/.test(rest[at + 2] ?? ''));
  if (STATES.has(rest[at] ?? '')) return moved;
  const several = /[a-z]s$/.test(at === 0 ? thing : (rest[0] ?? ''));
  const described =
    /^(?:how|what|which|who|where|when|whether|is|are|an?|the|all|every|any|each|no|its|my)$/.test(thing) ||
    isParticiple(thing);
  const ended = next === '' && HARM.test(rest[at] ?? '');
  return !described && (moved || ended || (!several && ENDED.test(next)));
}

/** Behind the participle of one thing they end what is told; "of", "in" and the like go on with what it is. */
const ENDED = /^(?:|to|until|by|[,;.])$/;
const HARM =
  /^(?:cancelled|canceled|deleted|removed|discarded|destroyed|erased|revoked|sent|paid|returned|closed|locked|switched|fed)$/;
