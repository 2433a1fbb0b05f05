import { isDeepStrictEqual } from 'node:util';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { getOrMake } from '../base/lib/collections.js';
import type { Caller } from '../base/protocol/call.js';
import type { RawTool } from '../base/protocol/tools.js';
import type { Connection, ConnectionRequest } from './connection.js';
import { oncePerPause, type ResourceWatch } from './news.js';
import { joinAnnounced } from './tool-list.js';
import type { UpstreamRequest } from './upstream.js';

type Era = Connection['era'];

/** What a server has said in one era. */
interface Side {
  tools: readonly RawTool[];
  byName: ReadonlyMap<unknown, RawTool>;
  digest: string;
  capabilities: JsonObject | undefined;
}

const nothingSaid = (): Side => ({ tools: [], byName: new Map(), digest: '', capabilities: undefined });

/**
 * One server in both eras. Each call goes out in the era of its caller, so that no client loses what the other era lacks. What is offered is
 * what either side offers, by name, and what one side alone has is called there. See docs/adr/0064-the-era-is-the-callers.md.
 */
export class BothEras {
  readonly #request: ConnectionRequest;
  readonly #sides: Readonly<Record<Era, Side>> = { modern: nothingSaid(), legacy: nothingSaid() };
  /** Whether the tools of both are known: those of one alone would look as if the others had gone. */
  #isWhole = false;
  /** By name: whether callers of both eras can use what 2026-07-28 says of a tool. */
  readonly #isAlike = new Map<string, boolean>();
  readonly #watched = new Set<string>();
  #onResourceUpdated: (uri: string) => void;

  constructor(request: ConnectionRequest) {
    this.#request = request;
    this.#onResourceUpdated = request.news.onResourceUpdated;
  }

  /** The request for the connection of one side, of which callers hear as of both. */
  requestFor(era: Era): ConnectionRequest {
    const { news, onCapabilities } = this.#request;
    const side = this.#sides[era];
    return {
      ...this.#request,
      onTools: (tools, digest) => {
        Object.assign(side, { tools, digest, byName: new Map(tools.map((tool) => [tool?.['name'], tool])) });
        if (this.#isWhole) this.#tellTools();
      },
      onCapabilities: (capabilities) => {
        side.capabilities = capabilities;
        onCapabilities(mergeCapabilities(this.#sides.modern.capabilities, this.#sides.legacy.capabilities));
      },
      news: { ...news, onResourceUpdated: (uri) => this.#onResourceUpdated(uri) },
    };
  }

  /** The connection of a server of one era. */
  alone(connection: Connection): Connection {
    this.#isWhole = true;
    this.#tellTools();
    return connection;
  }

  /** Both connections as one, which is lost where one of them is. */
  join(modern: Connection, legacy: Connection): Connection {
    const both = { modern, legacy };
    this.alone(modern);
    // Both may tell of it.
    this.#onResourceUpdated = oncePerPause(this.#watched, this.#request.news.onResourceUpdated);
    const pages = new PagesOfBoth(both);
    return {
      era: 'modern',
      transport: modern.transport,
      protocolVersion: `${modern.protocolVersion} and ${legacy.protocolVersion}`,
      server: modern.server ?? legacy.server,
      hasSession: legacy.hasSession,
      introduction: modern.introduction ?? legacy.introduction,
      lost: Promise.race([modern.lost, legacy.lost]),
      closed: Promise.all([modern.closed, legacy.closed]).then(() => undefined),
      get usable() {
        return modern.usable && legacy.usable;
      },
      call: (call, timeoutMs) => both[this.#eraOf(call.tool, call.caller)].call(call, timeoutMs),
      request: (request, timeoutMs) => pages.read(request, timeoutMs) ?? askEither(both, request, timeoutMs),
      setLogLevel: (level) => legacy.setLogLevel(level),
      watch: this.#watchOf(both),
      announced: joinAnnounced([modern.announced, legacy.announced]),
      retire() {
        modern.retire();
        legacy.retire();
      },
      async close() {
        await Promise.all([modern.close(), legacy.close()]);
      },
    };
  }

  #tellTools(): void {
    const { modern, legacy } = this.#sides;
    this.#isAlike.clear();
    const others = legacy.tools.filter((tool) => !modern.byName.has(tool?.['name']));
    this.#request.onTools([...modern.tools, ...others], `${modern.digest} ${legacy.digest}`);
  }

  /** A tool that the eras describe otherwise is called as it is shown. */
  #eraOf(name: string, { era = 'modern' }: Caller): Era {
    const { modern, legacy } = this.#sides;
    const [shown, other] = [modern.byName.get(name), legacy.byName.get(name)];
    if (shown === undefined && other === undefined) return era;
    if (shown === undefined || other === undefined) return shown === undefined ? 'legacy' : 'modern';
    return era === 'legacy' && getOrMake(this.#isAlike, name, () => takesTheSame(shown, other)) ? 'legacy' : 'modern';
  }

  /** A server may take a subscription to what it has in the other era alone, so it is asked in both. */
  #watchOf({ modern, legacy }: Record<Era, Connection>): ResourceWatch {
    return {
      set: async (uri, isWatched) => {
        if (isWatched) this.#watched.add(uri);
        else this.#watched.delete(uri);
        const asked = [modern.watch.set(uri, isWatched), legacy.watch.set(uri, isWatched)];
        await Promise.any(asked).catch(({ errors }: AggregateError) => {
          this.#watched.delete(uri);
          throw errors[0];
        });
      },
    };
  }
}

function takesTheSame(one: RawTool, other: RawTool): boolean {
  return ['inputSchema', 'outputSchema'].every((member) => isDeepStrictEqual(one[member], other[member]));
}

/** What only reads, and the caller's side refuses, perhaps because the other alone has it, is asked of the other. */
async function askEither(both: Record<Era, Connection>, request: UpstreamRequest, timeoutMs: number) {
  const { era = 'modern' } = request.caller ?? {};
  try {
    return await both[era].request(request, timeoutMs);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    if (request.retryable === false && error.code !== ProtocolErrorCode.MethodNotFound) throw error;
    return both[era === 'modern' ? 'legacy' : 'modern'].request(request, timeoutMs).catch(() => Promise.reject(error));
  }
}

/** The member of a list that holds its entries, and that of an entry which identifies it. */
type ListMembers = readonly [member: string, key: string];

const LISTS: Readonly<Record<string, ListMembers>> = {
  'resources/list': ['resources', 'uri'],
  'resources/templates/list': ['resourceTemplates', 'uriTemplate'],
  'prompts/list': ['prompts', 'name'],
  'skills/list': ['skills', 'uri'],
};

/** Pages of a list that both sides have: those of 2026-07-28, then what sessions have beyond. A cursor begins with its side. */
class PagesOfBoth {
  readonly #both: Record<Era, Connection>;
  /** By method: what 2026-07-28 has listed. */
  readonly #listed = new Map<string, Set<unknown>>();

  constructor(both: Record<Era, Connection>) {
    this.#both = both;
  }

  /** Undefined for a request that reads no list. */
  read(request: UpstreamRequest, timeoutMs: number): Promise<JsonObject> | undefined {
    const list = LISTS[request.method];
    return list === undefined ? undefined : this.#read(request, list, timeoutMs);
  }

  async #read(request: UpstreamRequest, [member, key]: ListMembers, timeoutMs: number): Promise<JsonObject> {
    const { method, params } = request;
    const [, side, at] = /^(modern|legacy)(?::(.*))?$/s.exec(String(params['cursor'] ?? 'modern')) ?? [];
    const era: Era = side === 'legacy' ? 'legacy' : 'modern';
    const own = { ...request, params: at === undefined ? {} : { cursor: at } };
    const page = await this.#both[era].request(own, timeoutMs).catch((error: unknown) => {
      if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return { [member]: [] };
      throw error;
    });
    const { [member]: entries, nextCursor: next } = page;
    if (era === 'modern' && at === undefined) this.#listed.set(method, new Set());
    const listed = getOrMake(this.#listed, method, () => new Set<unknown>());
    const isNew = (entry: JsonObject): boolean => era === 'modern' || !listed.has(entry?.[key]);
    const fresh = Array.isArray(entries) ? entries.filter(isNew) : entries;
    if (era === 'modern' && Array.isArray(entries)) for (const entry of entries) listed.add(entry?.[key]);
    const goesOn = typeof next === 'string' && (next !== '' || era === 'modern');
    const nextCursor = goesOn ? `${era}:${next}` : era === 'modern' ? 'legacy' : undefined;
    return { ...page, [member]: fresh, nextCursor };
  }
}

/** What either side declares. That it tells of changes counts where both do: a list of which one says nothing is read anew after a while. */
function mergeCapabilities(one: JsonObject = {}, other: JsonObject = {}): JsonObject {
  const merged: Record<string, unknown> = { ...other, ...one };
  for (const [name, said] of Object.entries(other)) {
    const own = one[name];
    if (!isJsonObject(own) || !isJsonObject(said)) continue;
    const { listChanged, ...flags } = { ...said, ...own };
    const told = own['listChanged'] === true && said['listChanged'] === true;
    const subscribe = own['subscribe'] === true || said['subscribe'] === true;
    merged[name] = { ...flags, ...(told && { listChanged }), ...(subscribe && { subscribe }) };
  }
  return merged;
}
