import type { RawTool } from '../../base/protocol/tools.js';
import { LEXICON } from './lexicon.js';
import { splitWords } from './vocabulary.js';

/** So many names must begin with a word, and so many different verbs stand behind it, before it counts as what they are about. */
const ENOUGH_NAMES = 3;
const ENOUGH_VERBS = 2;

/**
 * The words that names of one server begin with and that are what they are about, although each may be a verb: "flag" of
 * `flag_list`, `flag_toggle` and `flag_delete`. A verb in front has no second one behind it: `list_flags`, `list_users`.
 */
export function findObjectPrefixes(slug: string, tools: readonly RawTool[]): ReadonlySet<string> {
  const verbs = new Map<string, { names: number; certain: Set<string>; withVerb: number }>();
  for (const { name } of tools) {
    const [first = '', ...rest] = typeof name === 'string' ? withoutSlug(splitWords(name), slug) : [];
    const known = LEXICON.get(first);
    if (known === undefined || known.nounness === 'never') continue;
    const seen = verbs.get(first) ?? { names: 0, certain: new Set(), withVerb: 0 };
    const verb = rest.find((word) => LEXICON.get(word)?.nounness === 'never');
    seen.names += 1;
    if (verb !== undefined) {
      seen.withVerb += 1;
      seen.certain.add(verb);
    }
    verbs.set(first, seen);
  }
  const objects = [...verbs].filter(
    ([, { names, certain, withVerb }]) =>
      names >= ENOUGH_NAMES && certain.size >= ENOUGH_VERBS && withVerb * 3 >= names,
  );
  return new Set(objects.map(([word]) => word));
}

/** The words of a name without those of the upstream's slug, which name the server and not the action. */
export function withoutSlug(words: readonly string[], slug: string): readonly string[] {
  const prefix = splitWords(slug);
  const prefixed = prefix.length < words.length && prefix.every((word, index) => words[index] === word);
  return prefixed ? words.slice(prefix.length) : words;
}

/** How many words in front of a name only say what it is about: those before its last dot, or a prefix of its server's names. */
export function countObjectWords(
  name: string,
  words: readonly string[],
  prefixes: ReadonlySet<string> | undefined,
): number {
  const dot = name.lastIndexOf('.');
  const behind = dot < 0 ? words.length : splitWords(name.slice(dot + 1)).length;
  const before = Math.max(0, words.length - behind);
  return before > 0 && behind > 0 ? before : Number(words.length > 1 && prefixes?.has(words[0] ?? '') === true);
}
