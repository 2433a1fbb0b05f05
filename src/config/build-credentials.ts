import type { JsonPath } from './json-path.js';
import type { CredentialEntry } from './policy-document.js';
import { readSecret, type SecretContext } from './read-secret.js';

/** A name and the bearer token that proves it. */
export interface Credential {
  readonly name: string;
  /** Secret: never log. */
  readonly token: string;
}

// Others cannot stand in an Authorization header (RFC 9110, section 11.6.2).
const TOKEN = /^[\x21-\x7e]+$/;

/** Names and their tokens, in the order of the file. What is wrong with one goes into the notes. */
export function buildCredentials(
  entries: Readonly<Record<string, CredentialEntry>> | undefined,
  context: SecretContext,
): readonly Credential[] {
  return Object.entries(entries ?? {}).flatMap(([name, entry]) => {
    const path: JsonPath = [...context.path, name];
    const token = readSecret({ ...entry }, 'token', { ...context, path });
    if (token === undefined) return [];
    if (!TOKEN.test(token)) {
      context.notes.problem([...path, 'token'], 'expected visible ASCII characters without blanks');
    }
    return [{ name, token }];
  });
}
