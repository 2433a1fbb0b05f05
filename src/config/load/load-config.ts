import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { PACKAGE_DIRECTORY } from '../../base/asset.js';
import { isJsonObject } from '../../base/json/json.js';
import { type JsonPath, valueAt } from '../../base/json/json-path.js';
import { deepFreeze } from '../../base/lib/collections.js';
import type { GatewayConfig } from '../gateway-config.js';
import { GATEWAY_PROPERTIES, gatewaySchema } from '../schema/gateway-schema.js';
import { normalise, type Settings } from '../schema/setting.js';
import { UPSTREAM_SCHEMA } from '../schema/upstream-schema.js';
import { assembleConfig, type ConfigSources, type UpstreamSource } from './assemble-config.js';
import { ConfigError, type ConfigReport, createReport, type Diagnostics, openDiagnostics } from './diagnostics.js';
import { withOwnAddress, withOwnAddresses } from './foreign-members.js';
import { interpolate, interpolateText, type ReportProblem, type Scope } from './interpolate.js';
import { LOCK_FILE_NAME, readLockFile } from './lock-file.js';
import { type DefinitionPlace, divideProblems, markMisconfigured } from './misconfigured.js';
import { applyOverrides, type ConfigFlags, warnOfUnknownVariables } from './overrides.js';
import { type Drafts, readDocument, readDocumentsIn } from './read-document.js';
import { findDisabled, listServers, readServer } from './server-definition.js';
import { validateDocument } from './validate-document.js';

export interface LoadOptions {
  /** The main file, relative to `cwd`; beats `MCP_AQL_CONFIG`. */
  readonly file?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Absolute. */
  readonly cwd: string;
  /** What modules have in the main file, by the names of their sections; nothing where absent. */
  readonly sections?: Settings;
  /** Flags of the command line; they beat the environment, which beats the file. */
  readonly flags?: ConfigFlags;
  /** Whether a server whose definition has problems is left out, with a warning, instead of refusing the configuration. */
  readonly tolerant?: boolean;
  /** What some files would hold, so that a change is checked before it is written. */
  readonly drafts?: Drafts;
}

export interface LoadedConfig {
  /** Normalised and deeply frozen. */
  readonly config: GatewayConfig;
  /** Faults that do not stop the gateway, one line each. */
  readonly warnings: readonly string[];
}

/**
 * Reads the configuration: file, upstream files, environment and flags. Writes and starts nothing.
 * @throws ConfigError with every problem of every file at once.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const report = createReport();
  warnOfUnknownVariables(options.env, report);
  const { sources, places } = await readSources(locateConfig(options), options, report);
  const config = assembleConfig(sources);
  const { fatal, ofServers } = divideProblems(report.problems, places);
  if (fatal.length > 0 || (options.tolerant !== true && report.problems.length > 0)) {
    throw new ConfigError(report.problems);
  }
  const upstreams = markMisconfigured(config.upstreams, ofServers);
  const warnings = upstreams.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [`the server '${name}' is misconfigured and not started: ${problem}`],
  );
  const secretFiles = [...report.secretFiles].sort();
  return { config: deepFreeze({ ...config, upstreams, secretFiles }), warnings: [...report.warnings, ...warnings] };
}

/** Keys whose references are resolved before the others, or never. */
const SEPARATE_KEYS = ['dataDir', 'upstreamsDir', 'inputs'];

/** Reads, interpolates and validates all sources. */
async function readSources(
  location: ConfigLocation,
  options: LoadOptions,
  report: ConfigReport,
): Promise<{ readonly sources: ConfigSources; readonly places: readonly DefinitionPlace[] }> {
  const { cwd, drafts, sections = {} } = options;
  const known = { ...GATEWAY_PROPERTIES, ...sections };
  const { file, directory } = location;
  const { source, document, diagnostics, roots, dataDir } = await readMain(location, options, report);
  noteOpenDirectory(dataDir, diagnostics);
  const scope: Scope = { ...roots, places: { ...roots.places, dataDir } };
  const upstreamsDir = resolvePath(document, 'upstreamsDir', directory, scope, location, diagnostics);

  const files = await readDocumentsIn(upstreamsDir, cwd, report, drafts);
  if (files === undefined && valueAt(document, ['upstreamsDir']) !== undefined && !diagnostics.has(['upstreamsDir'])) {
    diagnostics.problem(['upstreamsDir'], 'there is no such folder');
  }
  const servers = listServers(document);
  if (servers.length > MAX_SERVERS) {
    diagnostics.problem([], `expected at most ${MAX_SERVERS} servers, got ${servers.length}`);
    throw new ConfigError(report.problems);
  }
  const fileServers = (files ?? []).map((each) => ({ ...each, ...readServer(each.document, each.stem) }));
  const disabled = findDisabled([...servers, ...fileServers]);
  const disabledPaths = servers.filter(({ slug }) => disabled.has(slug)).map(({ path }) => path);

  const main = interpolateOthers(document, scope, reportOutside(disabledPaths, diagnostics));
  const upstreams = fileServers.map((server): UpstreamSource => {
    const fileDiagnostics = openDiagnostics(report, server.source);
    const reportProblem = reportOutside(disabled.has(server.slug) ? [[]] : [], fileDiagnostics);
    const own = interpolate(server.document, [], scope, reportProblem);
    return {
      stem: server.stem,
      diagnostics: fileDiagnostics,
      document: validateDocument(UPSTREAM_SCHEMA, withOwnAddress(own), fileDiagnostics, known),
    };
  });
  const lockFile = join(location.dataRoot, LOCK_FILE_NAME);
  const lock = { file: lockFile, ...(await readLockFile(lockFile, cwd, report)) };
  const validated = validateDocument(gatewaySchema(sections), withOwnAddresses(main), diagnostics, known);
  const places: readonly DefinitionPlace[] = [
    ...servers.map(({ name, slug, path }) => ({ name, slug, path, source })),
    ...fileServers.map(({ name, slug, source }) => ({ name, slug, path: [], source })),
  ];
  const found = { file, directory, dataDir, upstreamsDir, diagnostics, document: validated, sections, upstreams, lock };
  return { sources: found, places };
}

const MAX_SERVERS = 1_000;

/** Who may write to the data directory can approve calls and change the audit record. */
function noteOpenDirectory(dataDir: string, diagnostics: Diagnostics): void {
  if ((modeOf(dataDir) & 0o002) === 0 || process.platform === 'win32') return;
  diagnostics.warning(['dataDir'], `every user of this machine may write to '${dataDir}': chmod 700`);
}

/** The permissions of a path; 0 where it cannot be looked at, which is reported when it is used. */
function modeOf(path: string): number {
  try {
    return statSync(path).mode;
  } catch {
    return 0;
  }
}

/** The main file with what is said elsewhere, and the data directory, which other paths may name. */
async function readMain(location: ConfigLocation, { env, cwd, flags = {}, drafts }: LoadOptions, report: ConfigReport) {
  const { file, directory } = location;
  const raw = file === null ? { source: 'configuration', document: {} } : await readDocument(file, cwd, report, drafts);
  const { document, origins } = applyOverrides(raw.document, { env, flags, cwd }, report);
  const diagnostics = openDiagnostics(report, raw.source, origins);
  const places = { configDir: directory, workspaceFolder: directory, userHome: homedir() };
  const roots: Scope = { env, cwd, places, readFrom: diagnostics.readFrom };
  const dataDir = resolvePath(document, 'dataDir', location.dataRoot, roots, location, diagnostics);
  return { source: raw.source, document, diagnostics, roots, dataDir };
}

/**
 * The data directory, also of a configuration that has problems: gateways that took it before it had them run there. The default one where
 * the file cannot be parsed.
 */
export async function findDataDir(options: LoadOptions): Promise<string> {
  return (await readMain(locateConfig(options), options, createReport())).dataDir;
}

function resolvePath(
  document: unknown,
  key: 'dataDir' | 'upstreamsDir',
  defaultRoot: string,
  scope: Scope,
  { directory }: ConfigLocation,
  diagnostics: Diagnostics,
): string {
  const given = valueAt(document, [key]);
  // The schema refuses a value that is not a string.
  if (typeof given !== 'string') return resolve(defaultRoot, normalise(GATEWAY_PROPERTIES[key], undefined));
  return resolve(directory, interpolateText(given, [key], scope, diagnostics.problem));
}

function interpolateOthers(document: unknown, scope: Scope, reportProblem: ReportProblem): unknown {
  if (!isJsonObject(document)) return document;
  const others = Object.entries(document).filter(([key]) => !SEPARATE_KEYS.includes(key));
  return { ...document, ...(interpolate(Object.fromEntries(others), [], scope, reportProblem) as object) };
}

/** Reports no problems below these paths, because the variables of a disabled server need not be set. */
function reportOutside(disabledPaths: readonly JsonPath[], diagnostics: Diagnostics): ReportProblem {
  return (path, message, suggestion) => {
    if (disabledPaths.some((start) => start.every((step, index) => step === path[index]))) return;
    diagnostics.problem(path, message, suggestion);
  };
}

/** The name looked for in the working directory, and of the default that ships with the package. */
const FILE_NAME = 'gateway.config.json';

/** Beside package.json. */
const PACKAGED_FILE = `${PACKAGE_DIRECTORY}${FILE_NAME}`;

/** Whether a main file is the default that ships with the package, which is never changed. */
export function isPackagedConfig(file: string): boolean {
  return file === PACKAGED_FILE;
}

/** Where the configuration is. All paths are absolute. */
interface ConfigLocation {
  /** Null when there is none, not even the packaged default. */
  readonly file: string | null;
  /** Where the file's relative paths start. */
  readonly directory: string;
  /** The folder of the lock and the default data directory; never the package, which may be read-only or a cache. */
  readonly dataRoot: string;
}

/** Finds the main file: that of the flag, of the environment, of the working directory, or the packaged default. */
export function locateConfig(options: {
  readonly file?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly packagedFile?: string;
}): ConfigLocation {
  const { cwd, packagedFile = PACKAGED_FILE } = options;
  const asked = options.file || options.env['MCP_AQL_CONFIG'];
  const own = asked ? resolve(cwd, asked) : join(cwd, FILE_NAME);
  if (asked || existsSync(own)) return { file: own, directory: dirname(own), dataRoot: dirname(own) };
  if (!existsSync(packagedFile)) return { file: null, directory: cwd, dataRoot: cwd };
  return { file: packagedFile, directory: dirname(packagedFile), dataRoot: cwd };
}
