/** Characters of a text that an expression makes. */
const MAX_TEXT_LENGTH = 10_000;

/** As much of a text as an expression may give. */
export function cutText(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? text.slice(0, MAX_TEXT_LENGTH).toWellFormed() : text;
}

/** Texts one after the other, without making what is cut off. */
export function joinTexts(texts: Iterable<string>, separator: string): string {
  const between = cutText(separator);
  let joined: string | undefined;
  for (const text of texts) {
    joined = joined === undefined ? cutText(text) : joined + between + cutText(text);
    if (joined.length > MAX_TEXT_LENGTH) break;
  }
  return cutText(joined ?? '');
}
