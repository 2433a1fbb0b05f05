import { wordEntries, wordList } from './word-lists.js';

/**
 * Verbs of tools in Spanish, Portuguese, French, Italian, German and Ukrainian, by the English verb that they mean: as they stand in
 * names (infinitive) and at the beginning of descriptions (third person). A form that is also a common English word is not here
 * ("active", "note"), and neither is one that is mostly a noun.
 */
const LEMMAS: ReadonlyMap<string, string> = new Map(
  wordEntries('foreign-verbs').flatMap(([lemma, forms]) => forms.map((form) => [form, lemma] as const)),
);

/** Words that a question begins with: what it asks for is answered. */
const QUESTIONS = wordList('foreign-questions');

/** Nouns for information that a description in another language begins with: "Estado de un pedido", "Liste des clients". */
const INFORMATION = wordList('foreign-information');

/** Function words of those languages; none of them is one of English. */
const FUNCTION_WORDS =
  /^(?:de|del|du|des|der|die|das|dem|den|einer|eines|einem|einen|ein|eine|un|une|una|uno|um|uma|la|las|los|les|le|lo|el|il|gli|dei|della|delle|degli|do|da|dos|das|em|en|por|para|pour|par|sur|dans|avec|con|com|mit|im|vom|zum|zur|für|von|nach|und|et|y|ou|oder|que|se|su|sus|ses|leur|ihre|seine)$/;
const ARTICLES =
  /^(?:der|die|das|dem|den|einer|eines|einem|einen|ein|eine|un|une|una|uno|um|uma|la|las|los|les|el|il|gli|del|des|du)$/;

/** Whether a word stands before a noun, so that what follows it is no verb. */
export const isForeignArticle = (word: string | undefined): boolean => word !== undefined && ARTICLES.test(word);

/** Whether a word is one that joins others in those languages, and none of English. */
export const isForeignWord = (word: string): boolean => FOREIGN_ONLY.test(word);
const FOREIGN_ONLY =
  /^(?:de|del|du|des|der|das|dem|den|einer|eines|einem|einen|ein|eine|une|una|uno|um|uma|la|las|los|les|gli|della|em|por|para|pour|par|sur|dans|avec|mit|im|vom|zum|zur|für|von|nach|und|et|y|ou|oder|que)$/;

const MOST_WORDS = 14;

/** The word with which a sentence in another language asks or names information; undefined where it may do something. */
export function findForeignInformation(tokens: readonly string[]): string | undefined {
  const [first = '', second, ...rest] = tokens;
  if (
    tokens.length > MOST_WORDS ||
    [second, ...rest].some((token) => token !== undefined && translateVerb(token) !== undefined)
  )
    return undefined;
  const foreign = tokens.some((token) => FUNCTION_WORDS.test(token)) || !isPlain(first);
  if (QUESTIONS.has(first) && foreign && second !== undefined) return first;
  if ((first === 'lo' || first === 'ce') && (second === 'que' || second === "qu'il")) return first;
  const named = INFORMATION.has(first) && (second === undefined || FUNCTION_WORDS.test(second) || !isPlain(first));
  return named && (foreign || second === undefined) ? first : undefined;
}

/** Verbs of languages that write words without spaces, Japanese ones in the form of nouns. */
const IN_SCRIPT = wordEntries('verbs-in-script').flatMap(([lemma, forms]) =>
  forms.map((form) => [form, lemma] as const),
);

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Whether a text has only the letters of English; most texts do, and need no slower patterns. */
export function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

/** The English verb that a word of another language means; undefined where it is none that is known. */
export function translateVerb(word: string): string | undefined {
  return LEMMAS.get(word);
}

/** The English verbs of all verbs in a word or sentence of a language that writes no spaces, in their order. */
export function findUnspacedVerbs(text: string): readonly string[] {
  if (isPlain(text) || !UNSPACED.test(text)) return [];
  const found = IN_SCRIPT.flatMap(([form, lemma]) => {
    const at = text.indexOf(form);
    return at < 0 ? [] : [{ at, lemma }];
  });
  return found.sort((a, b) => a.at - b.at).map(({ lemma }) => lemma);
}
