/** Enough for the longest useful description; longer ones cost more context than they explain. */
const MAX_TEXT_LENGTH = 4000;

const MAX_SUMMARY_LENGTH = 120;

/**
 * What a reader does not see but a model reads: control and format characters (zero-width, bidirectional, tags), line and
 * paragraph separators, lone surrogates, supplementary variation selectors. Tab and line feed stay.
 */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|[\u{e0100}-\u{e01ef}]/u;
/** Most texts hold nothing that could be invisible, and this is found out much faster. */
const PLAIN = /^[ -~\n\t]*$/;
const INVISIBLES = new RegExp(INVISIBLE.source, 'gu');

/** A foreign text made fit to show: invisible characters removed, trimmed, at most 4,000 characters. */
export function cleanText(text: unknown): string {
  if (typeof text !== 'string') return '';
  const visible =
    !PLAIN.test(text) && INVISIBLE.test(text) ? text.replace(/\r\n?/g, '\n').replace(INVISIBLES, '') : text;
  return cutText(visible.trim(), MAX_TEXT_LENGTH);
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

/** The text's beginning with an ellipsis where something is missing; never half a surrogate pair. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text
    .slice(0, maxLength - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}
