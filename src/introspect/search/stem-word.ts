import { stemmer } from 'stemmer';

/**
 * Families of words, under their first: those that Porter's rules would take for another one (`business` for `busy`, `news`
 * for `new`, `customer` for `custom`), and those that they would tear apart (`notify` and `notification`, `write` and `wrote`).
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

/** Catalogs repeat a few thousand words; texts that do not are no reason to grow. */
const MOST_REMEMBERED = 50_000;

const stems = new Map<string, string>();

/** The stem of a lower-case word, Porter's but for a few families, so that `issues`, `issued` and `issue` are one. */
export function stemWord(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (stems.size >= MOST_REMEMBERED) stems.clear();
  const stem = OWN_STEMS.get(word) ?? stemmer(word).replace(VOWEL_BEFORE_I, 'y');
  stems.set(word, stem);
  return stem;
}
