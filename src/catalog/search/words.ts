import { stemmer } from 'stemmer';

const WORD = /[\p{L}\p{N}]+/gu;

/** Texts that folding does not change; most are like this, and the test is cheaper than folding. */
const PLAIN = /^[ -~\s]*$/;

/** The boundaries inside a word in mixed case: `getPHPInfo` is `get PHP Info`. */
const SEAM = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const SEAMS = new RegExp(SEAM.source, 'gu');

/** Mixed case that begins with a capital is mostly a product's name: `GitHub`, `OneNote`. */
const PRODUCT = /^\p{Lu}\p{Ll}+\p{Lu}/u;

/**
 * The lower-case words of any text, names in every style included: `getPHPInfo`, `API-post-search` and `git_log` give
 * `get php info`, `api post search` and `git log`. Accents and the endings of `don't` and `team's` are removed.
 */
export function splitText(text: string): readonly string[] {
  const folded = fold(text);
  return (SEAM.test(folded) ? folded.replace(SEAMS, ' ') : folded).toLowerCase().match(WORD) ?? [];
}

/** The same, but a product's name stays one word: `GitHub` gives `github`. */
export function splitRequest(text: string): readonly string[] {
  const words = fold(text).match(WORD) ?? [];
  return words.flatMap((word) => (PRODUCT.test(word) ? [word.toLowerCase()] : splitText(word)));
}

/** The words in mixed case as one word each, since requests may spell them so: `GitHub` gives `github`. */
export function findCompounds(text: string): readonly string[] {
  if (!SEAM.test(text)) return [];
  return (text.match(WORD) ?? []).filter((word) => PRODUCT.test(word)).map((word) => word.toLowerCase());
}

function fold(text: string): string {
  const folded = PLAIN.test(text)
    ? text
    : text
        .normalize('NFKD')
        .replace(/\p{M}+/gu, '')
        .replaceAll('’', "'");
  return folded.includes("'") ? folded.replace(/'[a-z]{1,2}\b/g, ' ') : folded;
}

/**
 * Families of words, each under its first word: those that Porter's rules confuse with another one (`business` and `busy`,
 * `news` and `new`, `customer` and `custom`), and those that they separate (`notify` and `notification`, `write` and `wrote`).
 */
const OWN_STEMS: ReadonlyMap<string, string> = new Map(
  `business businesses|news|customer customers|general|internal|international|paste pasted pastes pasting|
  author authors|authorize authorizes authorized authorization authorizations authorise|authority authorities|
  direction directions|important importance|experience experiences|marketing|executive executives|police|numeric|
  organization organizations organisation organisations org orgs|university universities|secretary|generic|
  notify notifies notified notification notifications|verify verifies verified verification verifications|
  modify modifies modified modification modifications|classify classified classification classifications|
  subscribe subscribes subscribed subscribing subscription subscriptions|permit permits permission permissions|
  describe describes described description descriptions|analyze analyzes analysis analyses analyse analytics|
  transcribe transcribed transcript transcripts transcription transcriptions|pay pays paying paid payment payments|
  index indexes indices indexed indexing|query queries querying queried|people person persons|child children|
  database databases db dbs|repository repositories repo repos|colour color colours colors|
  begin began beginning|send sends sent sending|write writes wrote written writing|choose chose chosen choosing|
  find finds found finding|build builds built building|run runs ran running|leave leaves left leaving|
  sell sells sold selling seller sellers|buy buys bought buying buyer buyers|speak speaks spoke spoken speech|
  draw draws drew drawn drawing drawings|break breaks broke broken breaking|hide hides hidden hiding`
    .split('|')
    .map((family) => family.trim().split(/\s+/))
    .flatMap(([stem = '', ...others]) => [stem, ...others].map((word) => [word, stem] as const)),
);

/** Porter ends `deploy` in an i, so that `deployment`, which ends in the same y, would be another word. */
const VOWEL_BEFORE_I = /(?<=[aeou])i$/;

/** Catalogs repeat a few thousand words; the limit bounds memory for other texts. */
const MOST_REMEMBERED = 50_000;

const stems = new Map<string, string>();

/** The stem of a lower-case word, so that `issues`, `issued` and `issue` are equal: Porter's, except for a few families. */
export function stemWord(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (stems.size >= MOST_REMEMBERED) stems.clear();
  const stem = OWN_STEMS.get(word) ?? stemmer(word).replace(VOWEL_BEFORE_I, 'y');
  stems.set(word, stem);
  return stem;
}

export type GrammaticalNumber = 'singular' | 'plural';

/** The number of a noun, by its ending: `status` and `address` are no plurals. */
export function numberOf(word: string): GrammaticalNumber {
  return /[^su]s$/.test(word) ? 'plural' : 'singular';
}

const setOfWords = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Function words, which do not say what is searched for; left out of the index as well. */
export const FUNCTION_WORDS: ReadonlySet<string> = setOfWords(`
  a an the of to in on at by for from with into onto over about as is are was were be been being am do does did done has
  have had having will would can could should may might must shall i me my mine we us our ours you your yours he she him
  her his hers it its they them their theirs this that these those there here what which who whom whose when where why
  how and or but nor if then than so not no yes per via also just only very too`);

/** Words of requests without a specific meaning; the index keeps them, as operations may be named with them. */
export const REQUEST_WORDS: ReadonlySet<string> = setOfWords(`
  please let lets tell want wants need needs like give gives get gets got use used uses using some any all each every both
  either neither more most much many few other others another such same own out off up down again one ones thing things
  something anything everything stuff kind whatever currently right now etc don doesn didn isn aren wasn weren won ll ve
  re eg ie`);

/** Words that occur in nearly every server's name. */
export const SERVER_WORDS: ReadonlySet<string> = setOfWords('mcp server servers api tool tools op');
