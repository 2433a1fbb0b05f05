import { Minimatch } from 'minimatch';
import { isSensitiveName } from '../../catalog/sensitive-name.js';
import { toSnakeCase } from '../../protocol/snake-case.js';

/** Whether a member's name says that its value must not be recorded. */
export type SecretKeyTest = (key: string) => boolean;

/** Beside what a parameter's name says to everybody: spellings without any separator, and what proves who somebody is. */
const SECRET_WORDS =
  /passw(?:or)?d|passphrase|passcode|pwd|secret|credential|(?:api|access|private|signing|encryption|ssh|host|master|account)keys?(?:id)?$|authori[sz]ation|^auth$|bearer|cookie|session(?:id|key)|connectionstring|signature$|mnemonic|pincode|^(?:otp|totp|mfa|cvv|cvc|ssn)(?:code)?$/;

/** A token is one, unless its name says that it counts something or marks a place. */
const TOKEN = /tokens?$/;
const HARMLESS_TOKEN =
  /(?:max|min|num|total|budget|used|page|next|prev|previous|cursor|continuation|sync|delta|skip|stop|limit|count|of|per|input|output|prompt|completion)tokens?$/;

/**
 * Tells secret members by their names, whatever their case and separators: `apiKey`, `API-KEY`, `api key`.
 * @param patterns further names (minimatch), matched with the name as written and in snake_case
 */
export function createSecretKeyTest(patterns: readonly string[]): SecretKeyTest {
  const matchers = patterns.map((pattern) => new Minimatch(pattern, { nocase: true, dot: true, nocomment: true }));
  return (key) => {
    const name = toSnakeCase(key);
    const squeezed = name.replaceAll('_', '');
    if (isSensitiveName(name) || SECRET_WORDS.test(squeezed)) return true;
    if (TOKEN.test(squeezed) && squeezed !== 'tokens' && !HARMLESS_TOKEN.test(squeezed)) return true;
    // A slash in a name is no folder.
    return matchers.some((matcher) => matcher.match(key.replaceAll('/', '_')) || matcher.match(name));
  };
}
