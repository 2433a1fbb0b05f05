const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Most texts are shorter than what a search by the engine costs; it finds the end of a long one fastest. */
const LOOKED_AT = 64;

/**
 * The index of the quotation mark that ends a text of a JSON document; the end of the document where none does.
 * @param start where the text's first quotation mark stands
 */
export function endOfText(document: Buffer, start: number): number {
  let at = start + 1;
  for (;;) {
    const stop = Math.min(at + LOOKED_AT, document.length);
    while (at < stop && document[at] !== QUOTE) at += document[at] === BACKSLASH ? 2 : 1;
    if (at >= document.length) return document.length;
    if (document[at] === QUOTE) return at;
    const quote = document.indexOf(QUOTE, at);
    if (quote < 0) return document.length;
    if (!isEscaped(document, at, quote)) return quote;
    at = quote + 1;
  }
}

/** Whether an odd number of backslashes stands before a character. @param from where no escape has begun */
function isEscaped(document: Buffer, from: number, index: number): boolean {
  let first = index;
  while (first > from && document[first - 1] === BACKSLASH) first -= 1;
  return (index - first) % 2 === 1;
}

/** The same for a document that is a string. */
export function endOfTextIn(document: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const stop = Math.min(at + LOOKED_AT, document.length);
    while (at < stop && document.charCodeAt(at) !== QUOTE) at += document.charCodeAt(at) === BACKSLASH ? 2 : 1;
    if (at >= document.length) return document.length;
    if (document.charCodeAt(at) === QUOTE) return at;
    const quote = document.indexOf('"', at);
    if (quote < 0) return document.length;
    if (!isEscapedIn(document, at, quote)) return quote;
    at = quote + 1;
  }
}

function isEscapedIn(document: string, from: number, index: number): boolean {
  let first = index;
  while (first > from && document.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (index - first) % 2 === 1;
}
