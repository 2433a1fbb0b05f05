import { findPhrasalVerb } from './phrasal-verb.js';

const DROPPED = /^(?:v?\d+|an?|the)$/;

/**
 * The lower-case words of an identifier in any style: `getPHPInfoV1`, `API-post-search` and `git_log` give
 * `get php info`, `api post search` and `git log`. Version marks and articles are dropped, `roll_back` becomes `rollback`.
 */
export function splitWords(identifier: string): readonly string[] {
  if (/^[a-z]{2,}$/.test(identifier)) return identifier === 'the' ? [] : [identifier];
  const words = identifier
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !DROPPED.test(word));
  return joinPhrases(words);
}

function joinPhrases(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const phrase = findPhrasalVerb(word, words[index + 1] ?? '');
    joined.push(phrase ?? word);
    if (phrase !== undefined) index += 1;
  }
  return joined;
}
