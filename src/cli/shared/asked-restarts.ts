import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isJsonObject } from '../../base/json/json.js';
import type { Gateway } from '../../gateway/gateway.js';

/** Which servers a gateway is asked to start anew. */
export type RestartedNames = readonly string[] | 'all';

/** What a command asks of a gateway that runs, in a file beside the one in which that says what it is. */
interface AskedRestart {
  readonly id: string;
  /** When the gateway that is meant began: another may have its process id now. */
  readonly started: string;
  /** The account that asks, for the audit trail. */
  readonly by: string;
  readonly names: RestartedNames;
}

/** What a gateway has made of a request. */
export interface RestartAnswer {
  readonly id: string;
  readonly restarted: readonly string[];
  /** The names of no server that is enabled. */
  readonly unknown: readonly string[];
}

/** Answers that stay readable: more are not asked for at one time. */
const MOST_ANSWERS = 16;

const SUFFIX = '.restart';

/** The side of the gateway: finds what it is asked, and does it. */
export class AskedRestarts {
  readonly #folder: string;
  readonly #prefix: string;
  readonly #started: string;
  readonly #gateway: Gateway;
  #answers: readonly RestartAnswer[] = [];

  /** @param entry the file in which the gateway says what it is */
  constructor(entry: string, started: string, gateway: Gateway) {
    this.#folder = dirname(entry);
    this.#prefix = `${basename(entry, '.json')}.`;
    this.#started = started;
    this.#gateway = gateway;
  }

  /** The newest last. */
  get answers(): readonly RestartAnswer[] {
    return this.#answers;
  }

  /** Does what has been asked since the last look. */
  look(): void {
    for (const name of listFiles(this.#folder)) {
      if (!name.startsWith(this.#prefix) || !name.endsWith(SUFFIX)) continue;
      const file = join(this.#folder, name);
      const asked = readAsked(file);
      rmSync(file, { force: true });
      if (asked?.started !== this.#started) continue;
      this.#answers = [...this.#answers, this.#restart(asked)].slice(-MOST_ANSWERS);
    }
  }

  #restart({ id, by, names }: AskedRestart): RestartAnswer {
    const wanted = names === 'all' ? this.#gateway.status().upstreams.map(({ name }) => name) : names;
    const restarted = wanted.filter((name) => this.#gateway.restartUpstream(name));
    for (const upstream of restarted) this.#gateway.recordAdmin('restart_upstream', { upstream }, by);
    // Of all servers those that are disabled stay so.
    const unknown = names === 'all' ? [] : names.filter((name) => !restarted.includes(name));
    return { id, restarted, unknown };
  }
}

/** The side of the command: writes the request. Returns a function that withdraws it. */
export async function askForRestart(
  folder: string,
  { pid, ...asked }: AskedRestart & { readonly pid: number },
): Promise<() => Promise<void>> {
  const file = join(folder, `${pid}.${asked.id}${SUFFIX}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(file, JSON.stringify(asked), { mode: 0o600, flag: 'wx' });
  return () => rm(file, { force: true });
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Undefined where the file is not what a command writes. */
function readAsked(file: string): AskedRestart | undefined {
  try {
    const asked: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isAsked(asked) ? asked : undefined;
  } catch {
    return undefined;
  }
}

function isAsked(asked: unknown): asked is AskedRestart {
  if (!isJsonObject(asked)) return false;
  const { names } = asked;
  const isList = Array.isArray(names) && names.every((name) => typeof name === 'string');
  return ['id', 'started', 'by'].every((key) => typeof asked[key] === 'string') && (names === 'all' || isList);
}
