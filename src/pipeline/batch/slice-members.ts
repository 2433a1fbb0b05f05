/** What a JSON value is bounded by. */
const MARK = /["{}[\],]/g;

/**
 * The members of an envelope by name, each as its own piece of the text: what is passed on is neither parsed nor written
 * again, so that no number changes on the way.
 *
 * @param envelope the JSON text of an object as `JSON.stringify` writes it; its members' values may be laid out as they like
 */
export function sliceMembers(envelope: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let at = 1;
  while (envelope[at] === '"') {
    const colon = endOfString(envelope, at);
    const end = endOfValue(envelope, colon + 1);
    members.set(JSON.parse(envelope.slice(at, colon)) as string, envelope.slice(colon + 1, end));
    at = end + 1;
  }
  return members;
}

/** The position of the comma or bracket that follows the value. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  MARK.lastIndex = start;
  for (let match = MARK.exec(json); match !== null; match = MARK.exec(json)) {
    const [sign] = match;
    if (sign === '"') MARK.lastIndex = endOfString(json, match.index);
    else if (sign === '{' || sign === '[') depth += 1;
    else if (depth === 0) return match.index;
    else if (sign !== ',') depth -= 1;
  }
  return json.length;
}

/** The position after the closing quote. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end < 0 ? json.length : end + 1;
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}
