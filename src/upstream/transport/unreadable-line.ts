const NUL = '\0';

/**
 * Where an answer begins that writes its id before its result, as most SDKs do: at the start of a line, or behind another message. Within a
 * message that is JSON nothing looks like the latter: a text spells quotes with backslashes, and no value follows another without a comma.
 */
const ANSWER_START =
  /(?:^|\})\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(?:(-?\d+)|"([^"\\]*)")\s*,\s*"(?:result|error)"/g;

/** What is known of a line that is no message of MCP. */
interface UnreadableLine {
  /** Of the answers that it seems to hold. */
  readonly ids: readonly (string | number)[];
  /** What is wrong with it. */
  readonly why: string;
}

/** Looks for the answers in a line that could not be parsed, so that those who wait for them learn at once that there are none. */
export function readUnreadable(line: string): UnreadableLine {
  const hasNul = line.includes(NUL);
  const text = hasNul ? line.replaceAll(NUL, '') : line;
  const ids = [...text.matchAll(ANSWER_START)].map(([, number, name = '']) =>
    number === undefined ? name : Number(number),
  );
  if (hasNul) return { ids, why: 'its line holds NUL bytes, as text in another encoding than UTF-8 does' };
  if (ids.length > 1)
    return { ids, why: 'it stands on one line with another message, and each message has to be on a line of its own' };
  return { ids, why: 'its line is not valid JSON' };
}
