import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { PACKAGE_DIRECTORY } from '../../base/asset.js';
import type { LogObserver } from '../../base/observe/log-observer.js';
import { type Observation, type Observer, observeWith } from '../../base/observe/observation.js';
import { DEEPEST, LOOP_CURE, OWN_DEPTH } from '../../base/protocol/gateway-chain.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { ensureDataDirectories } from '../../config/load/data-directories.js';
import { ConfigError } from '../../config/load/diagnostics.js';
import { type LoadedConfig, loadConfig } from '../../config/load/load-config.js';
import type { Gateway, Inspected, NameSettings } from '../../gateway/gateway.js';
import { MODULES, SECTIONS } from '../../modules/modules.js';
import { CliError, EXIT_CODE } from './exit-code.js';
import { type Monitoring, openMonitoring } from './monitoring.js';
import { oneLine, printWarning, type Terminal } from './terminal.js';

/** Flags that every command understands; the names are commander's. */
export interface CommonFlags {
  readonly config?: string;
  readonly host?: string;
  readonly port?: string;
  readonly mode?: string;
  readonly profile?: string;
  readonly prefix?: string;
  readonly logLevel?: string;
  readonly readOnly?: boolean;
  readonly strict?: boolean;
  readonly json?: boolean;
}

/**
 * Reads the configuration; its problems become one message and the `config` exit code. A server whose definition has problems
 * is left out with a warning, so that all commands show what `serve` serves; `--strict` refuses it.
 */
export async function loadCliConfig(flags: CommonFlags, terminal: Terminal): Promise<GatewayConfig> {
  const { config, warnings } = await readCliConfig(flags);
  // A configuration that was found, not named, may be of a folder that somebody else has made.
  if (flags.config === undefined && flags.json !== true) {
    terminal.err.write(`configuration: ${oneLine(config.file ?? 'none')}\n`);
  }
  for (const warning of warnings) printWarning(terminal, warning);
  return config;
}

/** The same without printing anything. */
export async function readCliConfig(flags: CommonFlags): Promise<LoadedConfig> {
  try {
    return await loadConfig({
      file: flags.config,
      env: process.env,
      cwd: process.cwd(),
      sections: SECTIONS,
      tolerant: flags.strict !== true,
      flags,
    });
  } catch (error) {
    if (error instanceof ConfigError) throw new CliError(EXIT_CODE.config, error.message, { cause: error });
    throw error;
  }
}

interface StartedGateway {
  readonly gateway: Gateway;
  /** Reaches the log and every other sink. */
  readonly observe: Observer;
  readonly log: Pick<LogObserver, 'flush'>;
  readonly monitoring: Monitoring;
}

interface StartOptions {
  /** Which observations are logged; all of them where left out. */
  readonly isLogged?: (observation: Observation) => boolean;
  /** Further sinks of observations, beside the log. */
  readonly observers?: readonly Observer[];
  /** How names of operations are treated; as a server does where left out. */
  readonly names?: NameSettings;
  /** Whether one client has this process for its whole life. */
  readonly oneClient?: boolean;
  /** Whether clients connect, which servers may then ask something. */
  readonly servesClients?: boolean;
  /** Reads the configuration anew, for a reload. */
  readonly load?: () => Promise<GatewayConfig>;
}

/**
 * Starts the gateway that the configuration describes. The caller closes it.
 * @param command which program this is, for the audit trail
 */
export async function startGateway(
  config: GatewayConfig,
  command: string,
  { isLogged, observers = [], names, oneClient = false, servesClients = false, load }: StartOptions = {},
): Promise<StartedGateway> {
  if (OWN_DEPTH > DEEPEST) {
    const message = `This gateway was started by a gateway that another one has started: they would start one another without end. ${LOOP_CURE}`;
    throw new CliError(EXIT_CODE.usage, message);
  }
  await ensureDataDirectories(config);
  // Loaded here, so that commands which need no gateway do not wait for its libraries.
  const { openGateway } = await import('../../gateway/gateway.js');
  const { createLogObserver } = await import('../../base/observe/log-observer.js');
  const log = await createLogObserver(config.log);
  const info = readPackageInfo();
  // Commands that end soon are not watched.
  const monitoring = await openMonitoring(
    load === undefined ? withoutMonitoring(config) : config,
    info.version,
    log.observe,
  );
  const logged = isLogged === undefined ? log.observe : onlyWhere(isLogged, log.observe);
  const observe = observeWith([logged, ...observers, ...monitoring.observers]);
  const gateway = await openGateway(config, {
    observe,
    beginTrace: monitoring.beginTrace,
    clientInfo: info,
    packageDirectory: PACKAGE_DIRECTORY,
    modules: MODULES,
    process: command,
    oneClient,
    servesClients,
    names,
    load,
  });
  return { gateway, observe, log, monitoring };
}

function withoutMonitoring({ metrics: _metrics, tracing: _tracing, ...config }: GatewayConfig): GatewayConfig {
  const { access: _access, ...log } = config.log;
  const policy = { ...config.policy, approvals: { ...config.policy.approvals, operators: [] } };
  return { ...config, log, policy };
}

/** The servers that a command names, by either name; all where it names none. */
export function chooseServers({ upstreams }: GatewayConfig, names: readonly string[]): GatewayConfig['upstreams'] {
  const unknown = names.find((name) => !upstreams.some((each) => each.name === name || each.slug === name));
  if (unknown !== undefined) {
    const known = upstreams.map(({ name }) => name).join(', ');
    throw new CliError(EXIT_CODE.usage, `There is no server '${unknown}'. Configured: ${known || 'none'}`);
  }
  if (names.length === 0) return upstreams;
  return upstreams.filter(({ name, slug }) => names.includes(name) || names.includes(slug));
}

/** A command ends soon: it waits for no server that has failed once, and must not decide names for gateways that serve. */
export const NAMES_OF_COMMAND = { wait: 'until tried', keep: false } as const;

/**
 * Runs one task against a gateway whose upstreams have all been tried, and closes it whatever happens.
 * @param servesClients whether servers are told that clients can be asked, as those of a gateway that serves are: some offer more tools then
 */
export async function withGateway<T>(
  config: GatewayConfig,
  task: (gateway: Gateway) => Promise<T>,
  { servesClients = true }: Pick<StartOptions, 'servesClients'> = {},
): Promise<T> {
  // The command prints the state of each upstream, so the log need not repeat it.
  const { gateway, log } = await startGateway(
    { ...config, log: { ...config.log, level: quieter(config.log.level) } },
    'cli',
    { names: NAMES_OF_COMMAND, servesClients },
  );
  try {
    await gateway.settled;
    return await task(gateway);
  } finally {
    await gateway.close();
    log.flush();
  }
}

/** What gateways share with commands. */
interface SharedState<S> {
  /** Undefined where no other process can see it. */
  readonly open: (config: GatewayConfig) => Promise<S | undefined>;
  /** What a user can do then. */
  readonly notShared: string;
}

/** Runs the task of a command with what gateways share, and closes that whatever happens. */
export async function withShared<S extends { close(): unknown }, Flags extends CommonFlags = CommonFlags>(
  { open, notShared }: SharedState<S>,
  command: Command,
  terminal: Terminal,
  task: (shared: S, flags: Flags) => Promise<void>,
): Promise<void> {
  const flags = command.optsWithGlobals<Flags>();
  const config = await loadCliConfig(flags, terminal);
  await ensureDataDirectories(config);
  const shared = await open(config);
  if (shared === undefined) throw new CliError(EXIT_CODE.config, notShared);
  try {
    await task(shared, flags);
  } finally {
    await shared.close();
  }
}

/** The gateway as a view shows it; itself where no view is named. */
export function gatewayIn<G extends Pick<Inspected, 'config'> & { inView(name: string): G | undefined }>(
  gateway: G,
  view: string | undefined,
): G {
  if (view === undefined) return gateway;
  const shown = gateway.inView(view);
  if (shown !== undefined) return shown;
  const names = gateway.config.views.map(({ name }) => name);
  const known = names.length === 0 ? 'no views are configured' : `use one of: ${names.join(', ')}`;
  throw new CliError(EXIT_CODE.usage, `--view ${view}: there is no such view; ${known}`);
}

/** The option of commands that show what a view shows. */
export const VIEW_OPTION = ['--view <name>', 'as this view shows it'] as const;

function onlyWhere(accepts: (observation: Observation) => boolean, sink: Observer): Observer {
  return (observation) => {
    if (accepts(observation)) sink(observation);
  };
}

function quieter(level: GatewayConfig['log']['level']): GatewayConfig['log']['level'] {
  return level === 'info' ? 'error' : level;
}

interface PackageInfo {
  readonly name: string;
  readonly version: string;
}

/** Name and version of the package, which clients and upstreams see too. */
export function readPackageInfo(): PackageInfo {
  const { name, version } = JSON.parse(readFileSync(`${PACKAGE_DIRECTORY}package.json`, 'utf8')) as PackageInfo;
  return { name, version };
}
