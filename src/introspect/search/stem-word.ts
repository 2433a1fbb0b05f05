import { stemmer } from 'stemmer';

/**
 * Words of this field that Porter's rules would take for another one: `business` for `busy`, `news` for `new`, `customer`
 * for `custom`. Each keeps a stem of its own; a plural has its singular's.
 */
const OWN_STEMS: ReadonlyMap<string, string> = new Map(
  `business businesses|news|customer customers|general|internal|international|paste pasted pastes pasting|
  author authors|authorize authorizes authorized authorization authorizations authorise|authority authorities|
  direction directions|important importance|experience experiences|marketing|executive executives|police|
  organization organizations organisation organisations org orgs|university universities|secretary|
  numeric numerical|generic|generous|wing|maps map|states state|statement statements|apps app|factory factories|
  planner planners|pager pagers|meter meters|station stations|routine routines|notes note|notice notices|
  notify notifies notified notification notifications|verify verifies verified verification verifications|
  modify modifies modified modification modifications|classify classified classification classifications|
  subscribe subscribes subscribed subscribing subscription subscriptions|permit permits permission permissions|
  describe describes described description descriptions|analyze analyzes analysis analyses analyse analytics|
  transcribe transcribed transcript transcripts transcription transcriptions|pay pays paying paid payment payments|
  index indexes indices indexed indexing|query queries querying queried|people person persons|child children|
  database databases db dbs|repository repositories repo repos|application applications|colour color colours colors|
  begin began beginning|send sends sent sending|write writes wrote written writing|choose chose chosen choosing|
  find finds found finding|build builds built building|run runs ran running|leave leaves left leaving|
  sell sells sold selling seller sellers|buy buys bought buying buyer buyers|speak speaks spoke spoken speech|
  draw draws drew drawn drawing drawings|break breaks broke broken breaking|hide hides hidden hiding`
    .split('|')
    .map((family) => family.trim().split(/\s+/))
    .flatMap(([stem = '', ...others]) => [stem, ...others].map((word) => [word, stem] as const)),
);

/** Catalogs repeat a few thousand words; texts that do not are no reason to grow. */
const MOST_REMEMBERED = 50_000;

const stems = new Map<string, string>();

/** The stem of a lower-case word, Porter's but for a few families, so that `issues`, `issued` and `issue` are one. */
export function stemWord(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (stems.size >= MOST_REMEMBERED) stems.clear();
  const stem = OWN_STEMS.get(word) ?? stemmer(word);
  stems.set(word, stem);
  return stem;
}
