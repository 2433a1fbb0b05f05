import type { Client, JSONRPCNotification, McpSubscription } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { RecentMap } from '../base/lib/collections.js';
import type { AskChannel } from '../base/protocol/ask.js';
import type { CallChannel } from './call-channel.js';
import { type Announced, coalesce, keepSubscribed, pauseAfterReadings, RESUBSCRIBE_MS } from './tool-list.js';
import { UpstreamFault } from './transport/fault.js';
import type { ListKind } from './upstream.js';

/** Who hears what a server says of its resources and prompts. */
export interface UpstreamNews {
  readonly onListChanged: (kind: ListKind) => void;
  readonly onResourceUpdated: (uri: string) => void;
}

/** The resources of one connection of which the server tells changes. */
export interface ResourceWatch {
  /** Rejects where the server refuses, or cannot. */
  set(uri: string, isWatched: boolean): Promise<void>;
}

interface NewsOptions {
  readonly client: Client;
  readonly channel: CallChannel;
  readonly era: 'legacy' | 'modern';
  /** As the server declares them. */
  readonly capabilities: JsonObject;
  /** For one request of a subscription. */
  readonly timeoutMs: number;
  readonly news: UpstreamNews;
  /** News may have been missed. */
  readonly onMissed: () => void;
  readonly onDiagnostic: (message: string) => void;
}

interface HeardNews {
  readonly watch: ResourceWatch;
  /** The news of lists that has not been passed on. */
  readonly lists: readonly Announced[];
}

/** Passes on what a server says of changed resources and prompts. Ends with the connection. */
export function listenForNews(options: NewsOptions): HeardNews {
  const { client, era, capabilities, news, onMissed, onDiagnostic } = options;
  const announce = (kind: ListKind): Announced =>
    coalesce(async () => news.onListChanged(kind), { onFailure: () => undefined, pauseOf: pauseAfterReadings });
  const lists = [announce('resources'), announce('prompts')] as const;
  client.setNotificationHandler('notifications/resources/list_changed', lists[0].note);
  client.setNotificationHandler('notifications/prompts/list_changed', lists[1].note);
  const watched = new Set<string>();
  const noteUpdate = oncePerPause(watched, news.onResourceUpdated);
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => noteUpdate(params.uri));
  if (era === 'legacy') return { lists, watch: watchByRequest(options, watched) };
  const filter = {
    ...(declares(capabilities, 'resources', 'listChanged') && { resourcesListChanged: true }),
    ...(declares(capabilities, 'prompts', 'listChanged') && { promptsListChanged: true }),
  };
  if (Object.keys(filter).length > 0) {
    const refused = 'it offers notice of changed resources or prompts but refused the subscription';
    void keepSubscribed(client, filter, { onMissed, onRefused: () => onDiagnostic(refused) });
  }
  return { lists, watch: watchByStream(options, watched) };
}

/** Whether a server declares a capability, and where a switch of it is named, that. */
export function declares(capabilities: JsonObject | undefined, name: string, flag?: string): boolean {
  const capability = capabilities?.[name];
  return isJsonObject(capability) && (flag === undefined || capability[flag] === true);
}

/** A resource is told of at once, and then once in so many milliseconds at most. */
const UPDATE_PAUSE_MS = 1_000;

/** Parts of watched resources of which news is kept at once; a server may invent any number. */
const MOST_RECENT = 1_000;

/** Only of what is watched, and of parts of it (MCP allows a server to name these): all else is dropped. */
export function oncePerPause(watched: ReadonlySet<string>, tell: (uri: string) => void): (uri: string) => void {
  const recent = new Set<string>();
  const again = new Set<string>();
  const note = (uri: string): void => {
    if (!watched.has(uri) && (recent.size > MOST_RECENT || ![...watched].some((each) => uri.startsWith(each)))) return;
    if (recent.has(uri)) {
      again.add(uri);
      return;
    }
    recent.add(uri);
    setTimeout(() => {
      recent.delete(uri);
      if (again.delete(uri)) note(uri);
    }, UPDATE_PAUSE_MS).unref();
    tell(uri);
  };
  return note;
}

/** Up to 2025-11-25 each resource is subscribed to by a request. */
function watchByRequest({ channel, timeoutMs }: NewsOptions, watched: Set<string>): ResourceWatch {
  return {
    async set(uri, isWatched) {
      // Before the answer, which news may overtake.
      if (isWatched) watched.add(uri);
      else watched.delete(uri);
      try {
        await channel.request(`resources/${isWatched ? 'subscribe' : 'unsubscribe'}`, { uri }, { timeoutMs });
      } catch (error) {
        watched.delete(uri);
        throw error;
      }
    },
  };
}

/** From 2026-07-28 on one stream names all of them: for each change another one is opened, and then the former closed. */
function watchByStream({ client, timeoutMs }: NewsOptions, watched: Set<string>): ResourceWatch {
  let open: McpSubscription | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const reopen = async (): Promise<readonly string[]> => {
    const before = open;
    open = undefined;
    const asked = [...watched];
    if (asked.length > 0) {
      const opened = await client.listen({ resourceSubscriptions: asked }, { timeout: timeoutMs });
      open = opened;
      void opened.closed.then((how) => how !== 'local' && open === opened && retryLater());
    }
    await before?.close();
    return open?.honoredFilter.resourceSubscriptions ?? [];
  };
  const inTurn = (): Promise<readonly string[]> => {
    const next = last.then(reopen, reopen);
    last = next.catch(() => undefined);
    return next;
  };
  const retryLater = (): void => {
    open = undefined;
    setTimeout(() => {
      if (client.transport !== undefined && open === undefined) inTurn().catch(() => undefined);
    }, RESUBSCRIBE_MS).unref();
  };
  return {
    async set(uri, isWatched) {
      if (isWatched) watched.add(uri);
      else watched.delete(uri);
      const honored = await inTurn();
      if (!isWatched || honored.includes(uri)) return;
      watched.delete(uri);
      throw new UpstreamFault('malformed', 'it does not tell of changes of this resource');
    },
  };
}

/** Sessions whose news is remembered; one that is forgotten is told of again, which costs the server one question. */
const MOST_SESSIONS = 1_000;

const ROOTS_CHANGED: JSONRPCNotification = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };

/**
 * What one connection has said of changed roots. A server of the older era learns of them with the client's next call, as that is when it can
 * ask for them: between two calls there is no request that its question would belong to.
 */
export class RootsNews {
  /** By session: how often its roots had changed when the server was told last. */
  readonly #told = new RecentMap<string, number>(MOST_SESSIONS);

  /**
   * What the server should learn before a call of a client that has roots; undefined for most calls.
   * @param hasStoodIn whether it has asked, and not learned those of a client
   */
  before(
    { rootsChanges: changes = 0, caller: { sessionId } }: AskChannel,
    hasStoodIn: boolean,
  ): JSONRPCNotification | undefined {
    if ((this.#told.get(sessionId) ?? (hasStoodIn ? undefined : 0)) === changes) return undefined;
    this.#told.set(sessionId, changes);
    return ROOTS_CHANGED;
  }
}
