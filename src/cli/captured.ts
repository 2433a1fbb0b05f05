import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { CapturedList } from '../captured-gateway.js';
import type { GatewayConfig } from '../config/gateway-config.js';
import type { Gateway } from '../gateway.js';
import { CliError, EXIT_CODE } from './exit-code.js';

/**
 * A gateway over captured `tools/list` answers: one file an upstream, named by the file. Curation of an upstream of the
 * same name in the configuration applies.
 * @param from a JSON file, or a folder of them
 */
export async function openCaptured(
  from: string,
  config: GatewayConfig,
  options: { readonly ignoreAnnotations?: boolean } = {},
): Promise<Gateway> {
  const lists = await readLists(from);
  const { openCapturedGateway, readCapturedLists } = await import('../captured-gateway.js');
  try {
    const { upstreams, toolSets } = readCapturedLists(lists, config.upstreams);
    return openCapturedGateway({ ...config, upstreams }, toolSets, options);
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
