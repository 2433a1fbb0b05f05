import { getOrMake } from '../../base/lib/collections.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { type Owned, qualifyUri } from '../../base/protocol/qualified-names.js';
import type { Upstreams } from './primitive-lists.js';

/** Called with a URI of a resource that has changed, and who subscribed to it by that URI. */
export type UpdateListener = (uri: string, subscribers: ReadonlySet<string>) => void;

/** Subscriptions of one session or stream. */
const MOST_PER_SUBSCRIBER = 200;

/** Who hears of changes of which resource. Each is asked of its upstream once, whoever else subscribes to it. */
export class ResourceSubscriptions {
  readonly #upstreams: Upstreams;
  readonly #notify: UpdateListener;
  /** By resource: the URIs by which it was subscribed to, by subscriber. */
  readonly #subscribers = new Map<string, Map<string, Set<string>>>();
  /** By subscriber: its resources. */
  readonly #resources = new Map<string, Map<string, Owned>>();

  constructor(upstreams: Upstreams, notify: UpdateListener) {
    this.#upstreams = upstreams;
    this.#notify = notify;
  }

  /** @param uri as the subscriber names it. Rejects with an `OperationError` where the upstream refuses. */
  async subscribe(subscriber: string, resource: Owned, uri: string): Promise<void> {
    const own = this.#resources.get(subscriber) ?? new Map<string, Owned>();
    const key = keyOf(resource);
    if (!own.has(key) && own.size >= MOST_PER_SUBSCRIBER) throw tooMany();
    own.set(key, resource);
    this.#resources.set(subscriber, own);
    const subscribers = getOrMake(this.#subscribers, key, () => new Map<string, Set<string>>());
    getOrMake(subscribers, subscriber, () => new Set()).add(uri);
    try {
      await this.#upstreams.get(resource.upstream)?.watchResource(resource.id, true, resource.owner);
    } catch (error) {
      await this.unsubscribe(subscriber, resource);
      throw error;
    }
    // It may have left while the upstream was asked.
    if (!this.#subscribers.has(key)) await this.#unwatch(resource);
  }

  async unsubscribe(subscriber: string, resource: Owned): Promise<void> {
    const key = keyOf(resource);
    const own = this.#resources.get(subscriber);
    own?.delete(key);
    if (own?.size === 0) this.#resources.delete(subscriber);
    const subscribers = this.#subscribers.get(key);
    if (subscribers?.delete(subscriber) !== true || subscribers.size > 0) return;
    this.#subscribers.delete(key);
    await this.#unwatch(resource);
  }

  /** Ends all subscriptions of a session or stream that has ended. */
  end(subscriber: string): void {
    for (const resource of [...(this.#resources.get(subscriber)?.values() ?? [])])
      void this.unsubscribe(subscriber, resource);
  }

  /** An upstream says that a resource has changed, which may be a part of one that was subscribed to. */
  updated(resource: Owned): void {
    const byUri = new Map<string, Set<string>>();
    const own = keyOf(resource);
    const { length: start } = keyOf({ ...resource, id: '' });
    for (const [key, subscribers] of this.#subscribers) {
      if (!own.startsWith(key)) continue;
      const id = key.slice(start);
      for (const [subscriber, uris] of subscribers) {
        for (const uri of uris) {
          const named = key === own ? uri : uri === id ? resource.id : qualifyUri(resource);
          byUri.set(named, (byUri.get(named) ?? new Set()).add(subscriber));
        }
      }
    }
    for (const [uri, subscribers] of byUri) this.#notify(uri, subscribers);
  }

  #unwatch({ upstream, id, owner }: Owned): Promise<void> | undefined {
    return this.#upstreams.get(upstream)?.watchResource(id, false, owner);
  }
}

/** The id comes last, so that the key of a part of a resource begins with the resource's. */
function keyOf({ upstream, id, owner }: Owned): string {
  return `${upstream} ${JSON.stringify(owner ?? null)} ${id}`;
}

function tooMany(): OperationError {
  return new OperationError(
    'RATE_LIMIT_EXCEEDED',
    `You are subscribed to ${MOST_PER_SUBSCRIBER} resources, as many as one session may be. Unsubscribe from one first`,
    { limit: MOST_PER_SUBSCRIBER },
  );
}
