const WORD = /[\p{L}\p{N}]+/gu;

/** Most texts hold nothing that a fold would change, and this is found out faster. */
const PLAIN = /^[ -~\s]*$/;

/** Where a word in mixed case has a seam: `getPHPInfo` is `get PHP Info`. */
const SEAM = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const SEAMS = new RegExp(SEAM.source, 'gu');

/** Mixed case that begins with a capital is mostly a product's name: `GitHub`, `OneNote`. */
const PRODUCT = /^\p{Lu}\p{Ll}+\p{Lu}/u;

/**
 * The lower-case words of any text, names in every style among them: `getPHPInfo`, `API-post-search` and `git_log` give
 * `get php info`, `api post search` and `git log`. Accents and the endings of `don't` and `team's` fall away.
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

/** The words in mixed case as one word each, since others may write them so: `GitHub` gives `github`. */
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
