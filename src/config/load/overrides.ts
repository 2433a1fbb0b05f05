import { resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { formatPath, type JsonPath } from '../../base/json/json-path.js';
import { nearestSpelling } from '../../base/lib/names.js';
import { type ConfigReport, type Origin, openDiagnostics } from './diagnostics.js';
import { readSecretFile } from './secrets.js';

/** Settings that the command line can give. */
export interface ConfigFlags {
  readonly host?: string;
  readonly port?: string | number;
  readonly mode?: string;
  readonly profile?: string;
  readonly prefix?: string;
  readonly logLevel?: string;
  readonly readOnly?: boolean;
}

/** A setting that a variable, and in some cases a flag, may override. */
interface Override {
  readonly path: JsonPath;
  readonly variable: string;
  readonly flag?: keyof ConfigFlags;
  /** Converts the text to the setting's value; text that cannot be converted stays text, which the schema refuses. */
  readonly read: (text: string, cwd: string) => unknown;
}

const asIs = (text: string): unknown => text;
const asNumber = (text: string): unknown => (/^\d+$/.test(text) ? Number(text) : text);
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };
const asBoolean = (text: string): unknown => BOOLEANS[text] ?? text;
/** Taken literally: `${` in a secret is no reference. */
const asSecret = (text: string): unknown => text.replace(/\$\{/g, () => '$${');
const asPath = (text: string, cwd: string): unknown => resolve(cwd, text);
const asList = (text: string): unknown =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Every variable that names a setting; the documentation is made from it. */
export const OVERRIDES: readonly Override[] = [
  { path: ['server', 'host'], variable: 'MCP_AQL_HOST', flag: 'host', read: asIs },
  { path: ['server', 'port'], variable: 'MCP_AQL_PORT', flag: 'port', read: asNumber },
  { path: ['server', 'allowedHosts'], variable: 'MCP_AQL_ALLOWED_HOSTS', read: asList },
  { path: ['server', 'allowedOrigins'], variable: 'MCP_AQL_ALLOWED_ORIGINS', read: asList },
  { path: ['server', 'allowUnauthenticated'], variable: 'MCP_AQL_ALLOW_UNAUTHENTICATED', read: asBoolean },
  { path: ['server', 'publicUrl'], variable: 'MCP_AQL_PUBLIC_URL', read: asIs },
  { path: ['endpoint', 'mode'], variable: 'MCP_AQL_ENDPOINT_MODE', flag: 'mode', read: asIs },
  { path: ['endpoint', 'profile'], variable: 'MCP_AQL_ENDPOINT_PROFILE', flag: 'profile', read: asIs },
  { path: ['endpoint', 'toolPrefix'], variable: 'MCP_AQL_TOOL_PREFIX', flag: 'prefix', read: asIs },
  { path: ['log', 'level'], variable: 'MCP_AQL_LOG_LEVEL', flag: 'logLevel', read: asIs },
  { path: ['log', 'format'], variable: 'MCP_AQL_LOG_FORMAT', read: asIs },
  { path: ['policy', 'readOnly'], variable: 'MCP_AQL_READ_ONLY', flag: 'readOnly', read: asBoolean },
  { path: ['safetyLoop', 'mode'], variable: 'MCP_AQL_SAFETY_LOOP', read: asIs },
  { path: ['store', 'type'], variable: 'MCP_AQL_STORE', read: asIs },
  { path: ['store', 'url'], variable: 'MCP_AQL_REDIS_URL', read: asSecret },
  { path: ['credentials', 'key'], variable: 'MCP_AQL_CREDENTIALS_KEY', read: asSecret },
  { path: ['clients', 'default', 'token'], variable: 'MCP_AQL_CLIENT_TOKEN', read: asSecret },
  {
    path: ['policy', 'approvals', 'operators', 'admin', 'token'],
    variable: 'MCP_AQL_ADMIN_TOKEN',
    read: asSecret,
  },
  { path: ['dataDir'], variable: 'MCP_AQL_DATA_DIR', read: asPath },
];

/** The variable that names the main file; it is read before the file and overrides no setting. */
export const CONFIG_VARIABLE = 'MCP_AQL_CONFIG';

/** `logLevel` as it is typed: `--log-level`. */
export function formatFlag(flag: keyof ConfigFlags): string {
  return `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

interface OverrideInputs {
  readonly env: NodeJS.ProcessEnv;
  readonly flags: ConfigFlags;
  readonly cwd: string;
}

/** A document with the settings of the environment and the command line, and the origin of each of them. */
interface OverlaidDocument {
  readonly document: unknown;
  readonly origins: ReadonlyMap<string, Origin>;
}

/** Applies the environment and then the flags to the file. The schema refuses a section of the wrong type. */
export function applyOverrides(document: unknown, inputs: OverrideInputs, report: ConfigReport): OverlaidDocument {
  const origins = new Map<string, Origin>();
  if (!isJsonObject(document)) return { document, origins };
  const overlaid: JsonObject = structuredClone(document);
  for (const override of OVERRIDES) {
    const given = readOverride(override, inputs, report);
    if (given === undefined || !setAt(overlaid, override.path, override.read(given.text, inputs.cwd))) continue;
    origins.set(formatPath(override.path), given.origin);
  }
  return { document: overlaid, origins };
}

function readOverride(
  { flag, variable }: Override,
  { env, flags, cwd }: OverrideInputs,
  report: ConfigReport,
): { readonly text: string; readonly origin: Origin } | undefined {
  const typed = flag && flags[flag];
  if (flag && typed !== undefined)
    return { text: String(typed), origin: { file: 'command line', path: formatFlag(flag) } };
  const text = env[variable] || readVariableFile(`${variable}_FILE`, env, cwd, report);
  // Composed environments pass what is not set as an empty string.
  return text ? { text, origin: { file: 'environment', path: variable } } : undefined;
}

function readVariableFile(
  variable: string,
  env: NodeJS.ProcessEnv,
  cwd: string,
  report: ConfigReport,
): string | undefined {
  const file = env[variable];
  if (!file) return undefined;
  const absolute = resolve(cwd, file);
  report.secretFiles.add(absolute);
  const content = readSecretFile(absolute);
  if ('text' in content) return content.text;
  openDiagnostics(report, 'environment').problem([variable], content.fault);
  return undefined;
}

function setAt(document: JsonObject, path: JsonPath, value: unknown): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return false;
  if (rest.length === 0) {
    document[key] = value;
    return true;
  }
  const section = document[key] ?? {};
  document[key] = section;
  return isJsonObject(section) && setAt(section, rest, value);
}

/** Warns of variables that look like misspelled ones of ours; others with the same prefix may be the operator's own. */
export function warnOfUnknownVariables(env: NodeJS.ProcessEnv, report: ConfigReport): void {
  const known = [CONFIG_VARIABLE, ...OVERRIDES.map((override) => override.variable)];
  for (const variable of Object.keys(env)) {
    if (!variable.startsWith('MCP_AQL_') || known.includes(variable.replace(/_FILE$/, ''))) continue;
    const suffix = (name: string): string => name.slice('MCP_AQL_'.length);
    const nearest = nearestSpelling(suffix(variable), known.map(suffix));
    if (nearest === undefined) continue;
    openDiagnostics(report, 'environment').warning([variable], `unknown variable; did you mean 'MCP_AQL_${nearest}'?`);
  }
}
