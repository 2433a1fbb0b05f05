import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { LooseText } from './config-document.js';
import type { Notes } from './config-report.js';
import type { JsonPath } from './json-path.js';
import { faultCode, readSecretFile } from './secret-file.js';

const FILE_SUFFIX = '_FILE';

/** Names whose `_FILE` twin can only mean a secret; others may name a log or an output that does not exist yet. */
export const SECRET_NAME = /token|key|secret|passw|passphrase|pwd|credential|auth/i;

interface ValueContext {
  readonly directory: string;
  readonly path: JsonPath;
  readonly notes: Notes;
}

/** The variables of a stdio server: the values of `envFile`, then `env`, then the content of `X_FILE` where X is unset. */
export function buildEnv(
  entries: Readonly<Record<string, LooseText>>,
  envFile: string | undefined,
  context: ValueContext,
): Readonly<Record<string, string>> {
  const values = { ...readEnvFile(envFile, context), ...textValues(entries) };
  // X_FILE itself stays: the server may read files by that name too.
  return { ...values, ...readFileValues(values, context, (name) => SECRET_NAME.test(name)) };
}

/** The headers of an HTTP server, with the content of `X_FILE` where the header X is unset. */
export function buildHeaders(
  entries: Readonly<Record<string, LooseText>>,
  context: ValueContext,
): Readonly<Record<string, string>> {
  const values = textValues(entries);
  const headers = { ...values, ...readFileValues(values, context, () => true) };
  const kept = Object.entries(headers).filter(([name]) => !name.endsWith(FILE_SUFFIX));
  for (const [name, value] of kept) noteBadHeader(name, value, context);
  return Object.fromEntries(kept);
}

function textValues(entries: Readonly<Record<string, LooseText>>): Record<string, string> {
  const pairs = Object.entries(entries).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
  return Object.fromEntries(pairs);
}

function readFileValues(
  values: Readonly<Record<string, string>>,
  { directory, path, notes }: ValueContext,
  mustExist: (name: string) => boolean,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [key, file] of Object.entries(values)) {
    const name = key.slice(0, -FILE_SUFFIX.length);
    if (!key.endsWith(FILE_SUFFIX) || name === '' || file === '' || name in values) continue;
    const secret = readSecretFile(resolve(directory, file));
    if ('text' in secret) found[name] = secret.text;
    else if (mustExist(name)) notes.problem([...path, key], secret.fault, `'${name}' is to be read from it`);
    else notes.warning([...path, key], `${secret.fault}; '${name}' is not set`);
  }
  return found;
}

function readEnvFile(file: string | undefined, { directory, path, notes }: ValueContext): Record<string, string> {
  if (file === undefined) return {};
  const absolute = resolve(directory, file);
  try {
    const pairs = Object.entries(parseEnv(readFileSync(absolute, 'utf8')));
    return Object.fromEntries(pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  } catch (cause) {
    notes.problem([...path.slice(0, -1), 'envFile'], `the file '${absolute}' cannot be read (${faultCode(cause)})`);
    return {};
  }
}

// RFC 9110, section 5.1: a field name is a token.
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// Beyond Latin-1, or with line ends, no HTTP client can send it (RFC 9110, section 5.5).
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function noteBadHeader(name: string, value: string, { path, notes }: ValueContext): void {
  const at = [...path, name];
  if (!HEADER_NAME.test(name)) notes.problem(at, 'expected a header name: letters, digits and hyphens');
  else if (!HEADER_VALUE.test(value)) notes.problem(at, 'expected a header value: one line of Latin-1 text');
}
