import { createHash, hash } from 'node:crypto';
import { type Client, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { writeExactMembers } from '../base/json/exact-result.js';
import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { measureJson } from '../base/json/measure.js';
import { cleanLabel } from '../base/lib/text.js';
import { Pauses } from '../base/pauses/pauses.js';
import { LONGEST_DEFINITION, type RawTool } from '../base/protocol/tools.js';
import { UpstreamFault } from './transport/fault.js';

/** Pages are the server's choice; a server that never comes to an end is stopped here. */
const MAX_PAGES = 1_000;

/** The most tools that are read of one server. The largest lists of public servers have some hundreds. */
const MOST_TOOLS = 50_000;

interface ToolReading {
  /** Exactly as sent, in the server's order; entries may be anything, the catalog judges them. */
  readonly tools: readonly RawTool[];
  /** What was odd about the list; undefined when nothing was. */
  readonly diagnostic?: string;
  /** For how long the list counts, as its server says. */
  readonly ttlMs?: number;
}

/**
 * Reads all pages of `tools/list`. Not by the SDK's `listTools`, whose schema throws away a whole list for one tool that is
 * off the specification, and drops keys that it does not know.
 *
 * @param request sends one `tools/list` with these parameters.
 */
export async function readTools(
  request: (params: JsonObject) => Promise<JsonObject>,
  era: 'legacy' | 'modern' = 'legacy',
): Promise<ToolReading> {
  const tools: RawTool[] = [];
  const cursors = new Set<string>();
  let params: JsonObject = {};
  let age: Pick<ToolReading, 'ttlMs'> = {};
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const result = await readPage(request, params);
    if (result === undefined) return { tools };
    const { tools: some, nextCursor, ttlMs } = result;
    if (!Array.isArray(some)) throw new UpstreamFault('malformed', "its answer to 'tools/list' holds no list of tools");
    if (typeof ttlMs === 'number') age = { ttlMs: Math.min(ttlMs, age.ttlMs ?? ttlMs) };
    for (const tool of some.slice(0, MOST_TOOLS - tools.length)) tools.push(tool);
    if (tools.length === MOST_TOOLS)
      return { tools, ...age, diagnostic: `its 'tools/list' has ${MOST_TOOLS} tools or more; the rest was not read` };
    // The end is the absence of a cursor, but null is common too. Before 2026-07-28 so is the empty string, which is a cursor there:
    // https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
    if (typeof nextCursor !== 'string' || (nextCursor === '' && era === 'legacy')) return { tools, ...age };
    if (cursors.has(nextCursor))
      return { tools, ...age, diagnostic: "its 'tools/list' came back to a page it had already sent" };
    cursors.add(nextCursor);
    params = { cursor: nextCursor };
  }
  return { tools, ...age, diagnostic: `its 'tools/list' has more than ${MAX_PAGES} pages; the rest was not read` };
}

/** A server without tools may say so by not knowing the method. */
async function readPage(
  request: (params: JsonObject) => Promise<JsonObject>,
  params: JsonObject,
): Promise<JsonObject | undefined> {
  try {
    const result = await request(params);
    return isJsonObject(result) ? result : undefined;
  } catch (error) {
    if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return undefined;
    throw error;
  }
}

/** The tools of a server's last list, which another connection may have read: each one's object by the digest of its text. */
export type ToolMemory = Map<string, RawTool>;

interface DefinitionReading {
  /** The tools that can be used; one that was in the last list is the same object as there. */
  readonly usable: readonly RawTool[];
  /** Of all their definitions. */
  readonly digest: string;
}

interface DefinitionJudge {
  /** Asked of each tool whose definition is not too long. */
  readonly isUsable: (tool: RawTool) => boolean;
  readonly onDiagnostic: (message: string) => void;
  /** The definition as callers may see it. @param written as JSON */
  readonly mask?: (tool: RawTool, written: string) => RawTool;
}

/**
 * Reads each tool's definition; calls are served meanwhile. It is written as text, unless it is megabytes long, and looked for
 * among those that are remembered. What is derived of a tool is kept with its object, so what did not change is not derived again.
 */
export async function readDefinitions(
  tools: readonly RawTool[],
  memory: ToolMemory,
  { isUsable, onDiagnostic, mask = (tool) => tool }: DefinitionJudge,
): Promise<DefinitionReading> {
  const all = createHash('sha256');
  const seen: ToolMemory = new Map();
  const usable: RawTool[] = [];
  const read = (tool: RawTool): void => {
    if (measureJson(tool, LONGEST_DEFINITION) > LONGEST_DEFINITION) {
      const name = isJsonObject(tool) ? cleanLabel(String(tool['name'])) : '';
      onDiagnostic(`its tool '${name}' is left out: its definition has more than ${LONGEST_DEFINITION} characters`);
      return;
    }
    if (!isUsable(tool)) return;
    const text = writeDefinition(tool);
    const digest = hash('sha256', text ?? nameOf(tool), 'base64');
    all.update(digest);
    const known = text === undefined ? tool : (memory.get(digest) ?? mask(tool, text));
    if (text !== undefined) seen.set(digest, known);
    usable.push(known);
  };
  const pauses = new Pauses();
  for (const tool of tools) {
    read(tool);
    await pauses.due();
  }
  memory.clear();
  for (const [digest, tool] of seen) memory.set(digest, tool);
  return { usable, digest: all.digest('base64') };
}

/** Undefined for a definition that is nested too deeply to be written. The catalog leaves it out. */
function writeDefinition(tool: RawTool): string | undefined {
  try {
    return isJsonObject(tool) ? `{${writeExactMembers(tool)}}` : JSON.stringify(tool);
  } catch {
    return undefined;
  }
}

function nameOf(tool: RawTool): string {
  return JSON.stringify(tool['name']) ?? '';
}

/** Pause before a change subscription that the server ended is opened again. */
export const RESUBSCRIBE_MS = 5_000;

interface ToolListWatch {
  readonly client: Client;
  readonly era: 'legacy' | 'modern';
  /** Reads the whole list again. */
  readonly readAll: () => Promise<void>;
  /** News may have been missed: the stream on which it comes was broken, and is there again. */
  readonly onMissed: () => void;
  readonly onDiagnostic: (message: string) => void;
}

/** Reads the tools again whenever the server says that they have changed. Ends with the connection. */
export function watchToolList({ client, era, readAll, onMissed, onDiagnostic }: ToolListWatch): Announced {
  const announced = coalesce(async () => (client.transport === undefined ? undefined : readAll()), {
    onFailure: () => onDiagnostic('its changed tool list could not be read; the old one stays until it can'),
    pauseOf: pauseAfterReadings,
  });
  client.setNotificationHandler('notifications/tools/list_changed', announced.note);
  // A modern server notifies only those that subscribed.
  if (era === 'modern' && client.getServerCapabilities()?.tools?.listChanged === true)
    void keepSubscribed(
      client,
      { toolsListChanged: true },
      {
        onMissed,
        onRefused: () => onDiagnostic('it offers notice of changed tools but refused the subscription'),
      },
    );
  return announced;
}

/** The news of several lists as one. */
export function joinAnnounced(all: readonly Pick<Announced, 'isDue' | 'read'>[]): Pick<Announced, 'isDue' | 'read'> {
  return {
    get isDue() {
      return all.some(({ isDue }) => isDue);
    },
    read() {
      const reading = all.flatMap((each) => each.read() ?? []);
      return reading.length === 0 ? undefined : Promise.all(reading).then(() => undefined);
    },
  };
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** Readings that follow each other with the shortest pause. */
const QUICK_READINGS = 3;

/** Pause after so many readings in a row, each of which was followed by news of another change. */
export function pauseAfterReadings(readings: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, readings - QUICK_READINGS), MAX_PAUSE_MS);
}

interface CoalesceOptions {
  /** Called at the first failure of a row. */
  readonly onFailure: () => void;
  /** Milliseconds to wait after the reading with this number of an uninterrupted row. */
  readonly pauseOf: (readings: number) => number;
}

/** What is read again after news of a change. */
export interface Announced {
  /** There is news. */
  readonly note: () => void;
  /** Whether there is news that nobody has read. */
  readonly isDue: boolean;
  /**
   * Somebody waits for it: news is read now, whatever pause there is, once for all who wait. Undefined where there is none, and where that was
   * done so often within a minute that whoever asks is to wait for the pause.
   */
  readonly read: () => Promise<void> | undefined;
}

/** Readings within a minute for which no pause was waited. */
const MOST_HURRIED = 30;
const HURRIED_MS = 60_000;

/**
 * However many changes come during a reading and the pause after it, one more reading follows, as it does where one has failed. The first
 * change is read at once; a server that keeps changing or failing is read ever more rarely, as long as nobody waits for what it has.
 */
export function coalesce(work: () => Promise<void>, { onFailure, pauseOf }: CoalesceOptions): Announced {
  let isRunning = false;
  let isNews = false;
  let hasFailed = false;
  let reading: Promise<void> | undefined;
  let hurried: readonly number[] = [];
  const readNow = (): Promise<void> => {
    isNews = false;
    const begun = work()
      .then(
        () => false,
        () => true,
      )
      .then((fails) => {
        if (fails && !hasFailed) onFailure();
        hasFailed = fails;
        if (reading === begun) reading = undefined;
      });
    reading = begun;
    return begun;
  };
  const run = async (): Promise<void> => {
    isRunning = true;
    for (let readings = 1; isNews || hasFailed; readings += 1) {
      await (reading ?? readNow());
      await new Promise((resolve) => setTimeout(resolve, pauseOf(readings)).unref());
    }
    isRunning = false;
  };
  const read = (): Promise<void> | undefined => {
    if (reading !== undefined) return isNews ? reading.then(read) : reading;
    const now = performance.now();
    hurried = hurried.filter((at) => now - at < HURRIED_MS);
    if (!isNews || hurried.length >= MOST_HURRIED) return undefined;
    hurried = [...hurried, now];
    return readNow();
  };
  return {
    note() {
      isNews = true;
      if (!isRunning) void run();
    },
    get isDue() {
      return isNews || reading !== undefined;
    },
    read,
  };
}

/** Keeps a subscription of a modern server open for as long as the connection lasts, unless the server refuses it. */
export async function keepSubscribed(
  client: Client,
  filter: Parameters<Client['listen']>[0],
  { onMissed, onRefused }: { readonly onMissed: () => void; readonly onRefused: () => void },
): Promise<void> {
  for (let isFirst = true; client.transport !== undefined; isFirst = false) {
    try {
      const subscription = await client.listen(filter);
      if (!isFirst) onMissed();
      if ((await subscription.closed) === 'local') return;
    } catch {
      if (client.transport === undefined) return;
      onRefused();
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, RESUBSCRIBE_MS).unref());
  }
}

/** A list is read again no sooner than this after it was read, however short its server says that it counts. */
const LEAST_AGE_MS = 60_000;
/** The longest span of a timer. */
const MOST_AGE_MS = 2 ** 31 - 1;

/**
 * For how long a list counts whose server does not tell of changes. It is read again when its time is over, or, where its server says that it
 * is stale at once, with the first use after a minute: a server that nobody uses is not asked on and on.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export class ListAge {
  readonly #readAgain: () => void;
  #isStale = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(readAgain: () => void) {
    this.#readAgain = readAgain;
  }

  /** The list was read. */
  begin(ttlMs: number): void {
    this.end();
    const over = (): void => {
      if (ttlMs > 0) this.#readAgain();
      else this.#isStale = true;
    };
    this.#timer = setTimeout(over, Math.min(Math.max(ttlMs, LEAST_AGE_MS), MOST_AGE_MS)).unref();
  }

  /** The server is used. */
  use(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    this.#readAgain();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#isStale = false;
  }
}
