import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { CapturedList } from '../../gateway/captured-gateway.js';
import type { Inspected } from '../../gateway/gateway.js';
import { MODULES } from '../../modules/modules.js';
import { type CommonFlags, gatewayIn, loadCliConfig, withGateway } from './context.js';
import { CliError, EXIT_CODE } from './exit-code.js';
import type { Terminal } from './terminal.js';

/** Flags of the commands that look at tools, live or captured. */
export interface SourceFlags extends CommonFlags {
  readonly from?: string;
  readonly ignoreAnnotations?: boolean;
  readonly view?: string;
}

export const FROM_OPTION = [
  '--from <file-or-folder>',
  'captured tools/list answers (JSON) instead of live upstreams',
] as const;

/** What a command sees in addition to what a client sees. */
interface SourceOptions {
  /** Include the tools that quarantine withholds, for their review. */
  readonly withheldToo?: boolean;
}

/** Runs a task over captured lists where `--from` is given, else over the configured upstreams. */
export async function withSource<T>(
  flags: SourceFlags,
  terminal: Terminal,
  task: (gateway: Inspected) => Promise<T>,
  options: SourceOptions = {},
): Promise<T> {
  const loaded = await loadCliConfig(flags, terminal);
  const config = options.withheldToo === true ? withoutGuard(loaded) : loaded;
  const ignoreAnnotations = flags.ignoreAnnotations === true;
  if (flags.from !== undefined) {
    return task(gatewayIn(await openCaptured(flags.from, config, { ignoreAnnotations }), flags.view));
  }
  return withGateway(config, async (gateway) => {
    if (!ignoreAnnotations) return task(gatewayIn(gateway, flags.view));
    // The live catalog uses annotations, so the same lists are classified again without them.
    const { openCapturedGateway } = await import('../../gateway/captured-gateway.js');
    return task(
      gatewayIn(openCapturedGateway(config, gateway.toolSets(), { ignoreAnnotations, modules: MODULES }), flags.view),
    );
  });
}

function withoutGuard(config: GatewayConfig): GatewayConfig {
  return { ...config, upstreams: config.upstreams.map((upstream) => ({ ...upstream, integrity: 'off' })) };
}

/**
 * A gateway over captured `tools/list` answers: one file an upstream, named by the file. Curation of an upstream of the
 * same name in the configuration applies.
 * @param from a JSON file, or a folder of them
 */
async function openCaptured(
  from: string,
  config: GatewayConfig,
  options: { readonly ignoreAnnotations?: boolean } = {},
): Promise<Inspected> {
  const lists = await readLists(from);
  const { openCapturedGateway, readCapturedLists } = await import('../../gateway/captured-gateway.js');
  try {
    const { upstreams, toolSets } = readCapturedLists(lists, config.upstreams);
    return openCapturedGateway({ ...config, upstreams }, toolSets, { ...options, modules: MODULES });
  } catch (cause) {
    if (cause instanceof TypeError) throw new CliError(EXIT_CODE.usage, `--from: ${cause.message}`, { cause });
    throw cause;
  }
}

async function readLists(from: string): Promise<readonly CapturedList[]> {
  const files = await listFiles(from);
  if (files.length === 0) throw new CliError(EXIT_CODE.usage, `--from ${from}: there is no .json file in this folder`);
  return Promise.all(files.map(async (file) => ({ name: basename(file, extname(file)), json: await readJson(file) })));
}

async function listFiles(from: string): Promise<readonly string[]> {
  try {
    if (!(await stat(from)).isDirectory()) return [from];
    const names = await readdir(from);
    return names
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => join(from, name));
  } catch (cause) {
    throw new CliError(EXIT_CODE.usage, `--from ${from}: no such file or folder`, { cause });
  }
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown;
  } catch (cause) {
    throw new CliError(EXIT_CODE.usage, `--from: ${file} is not readable as JSON`, { cause });
  }
}
