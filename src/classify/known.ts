import { readAsset } from '../base/asset.js';
import { CATEGORIES, type Category, DANGER_LEVELS, type DangerLevel } from '../base/protocol/operation.js';
import type { RawTool } from '../base/protocol/tools.js';

/** What a person has said of a definition after reading it. */
export interface KnownTool {
  /** The known server that offered it. */
  readonly server: string;
  readonly category: Category;
  /** Of a call with harmless arguments. */
  readonly danger: DangerLevel;
  /** Whether the definition was another one then. */
  readonly isChanged: boolean;
}

interface Entry extends Omit<KnownTool, 'isChanged'> {
  readonly digest: string;
}

/**
 * The lines of the reviewed tools by their names, each behind its server and a space, and how many tools each server has. Most names are
 * never asked for, and an object for each line took megabytes of every start.
 */
interface KnownServers {
  readonly byName: ReadonlyMap<string, string>;
  readonly sizes: ReadonlyMap<string, number>;
}

/** So much of a fingerprint is kept: 128 bits, behind its prefix. */
const DIGEST = /^sha256\/2:([0-9a-f]{32})/;

/**
 * Reads the notation of `known/servers.txt`, one entry a line; empty lines and lines that begin with `#` are skipped:
 * - `@ NAME VERSION`: a server, whose tools follow;
 * - `CATEGORY DANGER DIGEST TOOL`: a tool of it, whose definition has a fingerprint that begins with the digest;
 * - `? CATEGORY DANGER DIGEST TOOL ...`: the same, proposed and not reviewed: skipped.
 */
export function readKnownServers(text: string): KnownServers {
  const byName = new Map<string, string>();
  const sizes = new Map<string, number>();
  let server = '';
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#') || line.startsWith('?')) continue;
    if (line.startsWith('@ ')) {
      [, server = ''] = line.split(' ');
      continue;
    }
    const digest = line.indexOf(' ', line.indexOf(' ') + 1) + 1;
    const tool = line.slice(line.indexOf(' ', digest) + 1);
    const others = byName.get(tool);
    byName.set(tool, others === undefined ? `${server} ${line}` : `${others}\n${server} ${line}`);
    sizes.set(server, (sizes.get(server) ?? 0) + 1);
  }
  return { byName, sizes };
}

const NONE: readonly Entry[] = [];

/** What was reviewed of tools of a name. @throws TypeError for a line that is no entry of a server */
export function entriesOf({ byName }: Pick<KnownServers, 'byName'>, name: string): readonly Entry[] {
  const lines = byName.get(name);
  if (lines === undefined) return NONE;
  return lines.split('\n').map((line) => {
    const [server = '', category, danger, digest = ''] = line.split(' ');
    if (server === '' || !isOneOf(CATEGORIES, category) || !isOneOf(DANGER_LEVELS, danger))
      throw new TypeError(`known servers: '${line.trim()}' is no entry`);
    return { server, category, danger, digest };
  });
}

function isOneOf<T extends string>(list: readonly T[], word: string | undefined): word is T {
  return list.some((one) => one === word);
}

let loaded: KnownServers | undefined;

/** Read with the first tool that is looked up. */
function knownServers(): KnownServers {
  loaded ??= readKnownServers(readAsset('classify/known/servers.txt'));
  return loaded;
}

/** A tool, and what `fingerprintTool` computes of it, which is asked for only where its name is a known one. */
interface FingerprintedTool {
  readonly raw: RawTool;
  readonly fingerprint: string;
}

/**
 * What was reviewed of exactly this definition, whichever server offers it: the label belongs to the text. Otherwise what was reviewed of
 * the tool of that name of the server that offers it, which is a hint alone.
 * @param server as `recognizeServer` found it
 */
export function findKnown(tool: FingerprintedTool, server?: string): KnownTool | undefined {
  const entries = entriesOf(knownServers(), String(tool.raw['name']));
  if (entries.length === 0) return undefined;
  const [, digest] = DIGEST.exec(tool.fingerprint) ?? [];
  const same = entries.find((entry) => entry.digest === digest);
  if (same !== undefined) return { ...same, isChanged: false };
  const former = entries.find((entry) => entry.server === server);
  return former && { ...former, isChanged: true };
}

/** A server is taken for a known one where it offers so much of what was reviewed of that. */
const ALIKE = 0.5;
const FEWEST_ALIKE = 2;

/**
 * The known server whose tools a server offers by their names, if any. Anybody can take names: that a definition differs from
 * the reviewed one is only ever a reason to doubt.
 */
export function recognizeServer(tools: readonly RawTool[]): string | undefined {
  const known = knownServers();
  const counts = new Map<string, number>();
  for (const name of new Set(tools.map((tool) => String(tool['name'])))) {
    for (const server of new Set(entriesOf(known, name).map((entry) => entry.server)))
      counts.set(server, (counts.get(server) ?? 0) + 1);
  }
  const [best] = [...counts].sort(([, one], [, other]) => other - one);
  if (best === undefined) return undefined;
  const [server, count] = best;
  return count >= FEWEST_ALIKE && count >= ALIKE * (known.sizes.get(server) ?? 0) ? server : undefined;
}
