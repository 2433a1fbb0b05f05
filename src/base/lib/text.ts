import { isJsonObject, type JsonSchema } from '../json/json.js';

/**
 * Characters that people do not see but models read: control and format characters (zero-width, bidirectional, tags),
 * fillers and other default-ignorable characters, line and paragraph separators, lone surrogates, and variation selectors
 * that do not follow an emoji. Tab and line feed do not match.
 */
export const INVISIBLE =
  /(?!\n|\t|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<!\p{Emoji})(?:\ufe0e|\ufe0f)/u;

/** Most texts contain only these characters, which is much faster to check. */
const PLAIN = /^[ -~\n\t]*$/;
const INVISIBLES = new RegExp(INVISIBLE.source, 'gu');

export function hasInvisible(text: string): boolean {
  return !PLAIN.test(text) && INVISIBLE.test(text);
}

export function removeInvisible(text: string): string {
  return hasInvisible(text) ? text.replace(/\r\n?/g, '\n').replace(INVISIBLES, '') : text;
}

/** The text with every invisible character escaped as in JSON, so that reviewers see it. */
export function escapeInvisible(text: string): string {
  return hasInvisible(text) ? text.replace(INVISIBLES, escapeUnits) : text;
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}

/** Enough for a program's name. */
const MAX_LABEL_LENGTH = 100;

/**
 * A label that a program gives itself, such as a client's name: one line of at most 100 characters, invisible characters
 * escaped. It goes into records and lists, where a long one or one with line breaks would hide what stands around it.
 */
export function cleanLabel(text: string): string {
  const line = text
    .slice(0, MAX_LABEL_LENGTH + 1)
    .replace(/\s+/g, ' ')
    .trim();
  return cutText(escapeInvisible(line), MAX_LABEL_LENGTH);
}

/** Enough for the longest useful description; longer ones cost too much context. */
const MAX_TEXT_LENGTH = 4000;

const MAX_SUMMARY_LENGTH = 120;

/** Enough for values and names; a longer one is probably text for the model. */
const MAX_VALUE_LENGTH = 500;

/** Makes an upstream's text safe to show: invisible characters removed, trimmed, at most 4,000 characters. */
export function cleanText(text: unknown): string {
  if (typeof text !== 'string') return '';
  return cutText(removeInvisible(text).trim(), MAX_TEXT_LENGTH);
}

/** Makes an upstream's name safe to show. Invisible characters are removed, although a call would need them. */
export function cleanName(name: string): string {
  return cutText(removeInvisible(name), MAX_VALUE_LENGTH);
}

/** Longer names are no names; an answer that repeats one shows its beginning. */
const MAX_ECHO_LENGTH = 100;

/** A name that a caller sent, as an answer repeats it: cut, since its length is bounded by the request alone. */
export function echoName(name: string): string {
  return cutText(removeInvisible(name.slice(0, 2 * MAX_ECHO_LENGTH)), MAX_ECHO_LENGTH);
}

/** A list or an object whose JSON text is longer is not repeated in an answer. */
const MAX_ECHO_JSON = 200;

/** A JSON value that a caller sent, as an answer repeats it: texts cut; undefined for a list or an object that is too long. */
export function echoValue(value: unknown): unknown {
  if (typeof value === 'string') return echoName(value);
  if (typeof value !== 'object' || value === null) return value;
  return JSON.stringify(value).length > MAX_ECHO_JSON ? undefined : cleanValue(value);
}

/** A foreign JSON value made fit to show: every text in it as `cleanText` would have it, but not trimmed. */
export function cleanValue(value: unknown, maxLength = MAX_VALUE_LENGTH): unknown {
  if (typeof value === 'string') return cutText(removeInvisible(value), maxLength);
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, maxLength));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [cleanName(key), cleanValue(member, maxLength)]),
  );
}

/** Makes an upstream's schema safe to show: its descriptions may be as long as a tool's. */
export function cleanSchema(schema: JsonSchema): JsonSchema {
  return cleanValue(schema, MAX_TEXT_LENGTH) as JsonSchema;
}

/** A heading that a generator of tools puts above the statuses of an HTTP operation, and the list below it. */
const ERROR_LIST =
  /(?:^|\n)[ \t]*(?:#+ *|\*+)?(?:possible +)?errors?(?: +(?:responses?|codes?))? *:\**[ \t]*(?:\n[ \t]*(?:[-*] *)?\d{3}\b[^\n]*)+/gi;

/** A description without what helps no caller: lists of HTTP statuses, and empty lines in a row. */
export function withoutBoilerplate(text: string): string {
  return text
    .replace(ERROR_LIST, '')
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The first sentence in one line, at most 120 characters. */
export function summarizeText(text: string, maxLength = MAX_SUMMARY_LENGTH): string {
  const line = text
    .slice(0, 8 * MAX_SUMMARY_LENGTH)
    .replace(/\s+/g, ' ')
    .trim();
  // A sentence ends at a full stop before a capital or the end, not at the one in "e.g. this" or "v1.2".
  const sentence = /^.{8,}?[.!?](?= [\p{Lu}"'`(]|$)/u.exec(line)?.[0] ?? line;
  return cutText(sentence, maxLength);
}

/** The beginning of the text, with an ellipsis where it was cut; never half a surrogate pair. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text
    .slice(0, maxLength - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}

const MAX_QUOTED_LENGTH = 60;
const MAX_QUOTED_VALUES = 30;

/** A value for errors and descriptions: a string in single quotes, at most 60 characters. */
export function quoteValue(value: unknown): string {
  return typeof value === 'string'
    ? `'${cutText(removeInvisible(value), MAX_QUOTED_LENGTH)}'`
    : cutText(removeInvisible(JSON.stringify(value) ?? 'null'), MAX_QUOTED_LENGTH);
}

/** A list of values; where there are many, the first ones and the number of the others. */
export function quoteValues(values: readonly unknown[], separator = ', '): string {
  const quoted = values.slice(0, MAX_QUOTED_VALUES).map(quoteValue).join(separator);
  return values.length > MAX_QUOTED_VALUES ? `${quoted} and ${values.length - MAX_QUOTED_VALUES} more` : quoted;
}

/** Letters of other alphabets that look like Latin ones, and these; each stands for itself below it. */
const LOOK_ALIKES = new Map(
  [
    // Cyrillic
    ['АВЕКМНОРСТУХІЈЅԚԜ', 'ABEKMHOPCTYXIJSQW'],
    ['аекморстухіјѕһԁԛԝӏгпԍѵ', 'aekmopctyxijshdqwlrngv'],
    // Greek
    ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
    ['αεηικνορτυχγω', 'aenikvoptuxyw'],
    // Latin letters beside the alphabet
    ['ıɑɡɩʟɴʀʏƖǀⱱꞵ', 'iagilnryllvb'],
  ].flatMap(([others = '', latin = '']) =>
    [...others].map((letter, index) => [letter, latin[index] ?? letter] as const),
  ),
);

const NOT_ASCII = /\P{ASCII}/u;

/**
 * The text with the Latin letters that other alphabets' look like, and without accents: what people and models read as one word is then one
 * word. Only for comparing; both sides of a comparison are to be spelled so.
 */
export function spellAsRead(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/\P{ASCII}/gu, (letter) => LOOK_ALIKES.get(letter) ?? letter);
}
