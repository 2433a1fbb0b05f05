import type { RawTool } from '../../base/protocol/tools.js';

/** Names of a single word, or of few letters, are also English words and do not count; no honest name is longer. */
const DISTINCTIVE_NAME = /^(?=.{6,128}$)(?:[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+|[A-Za-z]?[a-z0-9]+[A-Z][A-Za-z0-9]*)$/;
/** What stands between words that may be such names, so that each character of a text is looked at once. */
const BETWEEN_WORDS = /[^A-Za-z0-9_-]+|[_-]{2,}/;

/** Whether a word is a name of a tool rather than an English word. */
export function isDistinctiveName(word: unknown): word is string {
  return typeof word === 'string' && DISTINCTIVE_NAME.test(word);
}

/** The words of a description that may be names of tools. */
export function findNameWords({ description }: RawTool): ReadonlySet<string> {
  const said = typeof description === 'string' ? description.split(BETWEEN_WORDS) : [];
  return new Set(said.map((word) => word.replace(/^[_-]|[_-]$/g, '')).filter(isDistinctiveName));
}
