const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/**
 * Whether a JSON text is nested deeper than a number of levels, without parsing it. Reading stops at the first level that
 * is too deep; texts in the JSON are skipped.
 */
export function isNestedDeeper(text: string, levels: number): boolean {
  // Each level takes a bracket to open it and one to close it. Looking for brackets alone is some ten times as quick as reading.
  if (text.length <= 2 * levels || !hasBrackets(text, levels)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === OPEN_LIST || unit === OPEN_OBJECT) {
      depth += 1;
      if (depth > levels) return true;
    } else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

function hasBrackets(text: string, least: number): boolean {
  let found = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0 && found <= least; at = text.indexOf(bracket, at + 1)) found += 1;
  }
  return found > least;
}

/** The index of the quote that ends a string; the end of the text where none does. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
