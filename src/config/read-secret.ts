import { resolve } from 'node:path';
import type { Notes } from './config-report.js';
import type { JsonPath } from './json-path.js';
import { readSecretFile } from './secret-file.js';

/** Less can be guessed. */
const MIN_SECRET_LENGTH = 16;

const NEXT_STEP = 'make one with: openssl rand -hex 32';

export interface SecretContext {
  /** Where relative paths start. */
  readonly directory: string;
  /** Of the object that holds the secret. */
  readonly path: JsonPath;
  readonly notes: Notes;
}

/**
 * A secret of our own settings: the value of `key`, else the content of the file that `key_FILE` names. What is wrong, its
 * absence included, goes into the notes.
 */
export function readSecret(
  entry: Readonly<Record<string, string | undefined>>,
  key: string,
  { directory, path, notes }: SecretContext,
): string | undefined {
  const fileKey = `${key}_FILE`;
  const file = entry[fileKey];
  const at = [...path, entry[key] === undefined && file !== undefined ? fileKey : key];
  if (notes.has(at)) return undefined;
  const content = entry[key] ?? (file === undefined ? undefined : readSecretFile(resolve(directory, file)));
  if (content === undefined) {
    notes.problem([...path, key], `missing; expected a string, or '${fileKey}' with the path of a file`, NEXT_STEP);
    return undefined;
  }
  if (typeof content !== 'string' && 'fault' in content) {
    notes.problem(at, content.fault, `'${key}' is to be read from it`);
    return undefined;
  }
  const secret = typeof content === 'string' ? content : content.text;
  if (secret.length >= MIN_SECRET_LENGTH) return secret;
  notes.problem(at, `expected at least ${MIN_SECRET_LENGTH} characters, got ${secret.length}`, NEXT_STEP);
  return undefined;
}
