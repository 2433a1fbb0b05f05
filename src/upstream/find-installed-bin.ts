import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import type { ResolvedCommand } from './resolved-command.js';

/** `name`, `@scope/name`, either with `@version`. */
const PACKAGE_SPEC = /^(?<name>(?:@[\w.-]+\/)?[\w.-]+)(?:@(?<version>[^@]+))?$/;

const ASSUME_YES = new Set(['-y', '--yes']);

/**
 * The program that `npx <args>` would run, when its package is installed beside one of the `.bin` folders. Anything unusual
 * (other flags, a tag or range, an ambiguous package) is left to npx itself.
 */
export async function findInstalledBin(
  args: readonly string[],
  binDirectories: readonly string[],
): Promise<ResolvedCommand | undefined> {
  const first = args.findIndex((arg) => !ASSUME_YES.has(arg));
  const spec = PACKAGE_SPEC.exec(args[first] ?? '')?.groups;
  if (spec?.['name'] === undefined) return undefined;
  for (const directory of binDirectories) {
    const home = path.join(path.dirname(directory), spec['name']);
    const file = await findBin(home, spec['name'], spec['version']);
    if (file !== undefined) return startWithNode(file, args.slice(first + 1));
  }
  return undefined;
}

async function findBin(home: string, name: string, version: string | undefined): Promise<string | undefined> {
  const manifest = await readManifest(path.join(home, 'package.json'));
  if (manifest === undefined) return undefined;
  // A tag such as `latest` means "ask the registry", so only an exact version can be served from the disk.
  if (version !== undefined && version !== manifest['version']) return undefined;
  const relative = chooseBin(manifest['bin'], name);
  if (relative === undefined) return undefined;
  const file = path.join(home, relative);
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() === true ? file : undefined;
}

async function readManifest(file: string): Promise<JsonObject | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isJsonObject(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** As npx chooses: the only program, else the one named like the package. */
function chooseBin(bin: unknown, packageName: string): string | undefined {
  if (typeof bin === 'string') return bin;
  if (!isJsonObject(bin)) return undefined;
  const entries = Object.entries(bin);
  const unscoped = packageName.slice(packageName.indexOf('/') + 1);
  const chosen = entries.length === 1 ? entries[0]?.[1] : bin[unscoped];
  return typeof chosen === 'string' ? chosen : undefined;
}

function startWithNode(file: string, args: readonly string[]): ResolvedCommand {
  if (/\.[cm]?js$/.test(file)) return { file: process.execPath, args: [file, ...args] };
  return { file, args };
}
