import { LONGEST_TEXT, NotProven, place, quote } from './not-proven.js';

/** Characters that some client, driver or shell reads as a space, as a quote or not at all. */
const UNCLEAR =
  /(?![ \t\n])[\p{C}\p{Z}\p{Pi}\p{Pf}\u00b4\u00b8\u02b9-\u02bc\u02c8\u02ca\u02cb\u201a\u201e\u2032-\u2037\uff02\uff07\uff1b\uff3c\uff40]|\p{Default_Ignorable_Code_Point}/u;

/**
 * Quotes, separators and the like as a server may decode them before it runs a text (`U&'..'` is PostgreSQL's own way), and what opens
 * a template.
 */
const ENCODED =
  /%(?:0[0-9ad]|2[27dDfF]|3[bB]|5[cC]|60)|&(?:#\w|quot|apos|lt;|gt;|amp;)|\\(?:u\w{4}|u\{|x\w\w|[0-7]{3})|\bu&['"]|\{[{%#]|[$#]\{/i;

/** What a comment may hold: nothing that could end it, or begin something else, for another reader. */
const PLAIN_COMMENT = /^(?![!+]|M!)[^'"`\\;$#/*]*$/;

/** The text with plain line ends, or a refusal where two readers could read its characters differently. */
export function clearText(source: string): string {
  if (source.length > LONGEST_TEXT) throw new NotProven(`it is longer than ${LONGEST_TEXT} characters`);
  const text = source.replaceAll('\r\n', '\n');
  refuseUnclear(text);
  return text;
}

function refuseUnclear(text: string): void {
  const unclear = UNCLEAR.exec(text);
  if (unclear !== null) throw new NotProven(`the character ${place(unclear.index)} can be read in several ways`);
  const escaped = /\\(?=['"`])/.exec(text);
  if (escaped !== null)
    throw new NotProven(`the backslash before a quote ${place(escaped.index)} can be read in several ways`);
  const encoded = ENCODED.exec(text);
  if (encoded !== null)
    throw new NotProven(`${quote(encoded[0])} ${place(encoded.index)} may stand for something else`);
}

/** Refuses the content of a comment that could be anything else than a comment. */
export function requirePlain(comment: string, from: number): void {
  if (!PLAIN_COMMENT.test(comment)) throw new NotProven(`the comment ${place(from)} can be read in several ways`);
}
