import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { type Caller, callerOf } from '../../base/protocol/caller.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import { SUBSCRIPTION_ID } from '../../base/protocol/envelope.js';
import { okReply } from '../../base/protocol/result.js';
import type { NativeSurface } from '../../gateway/gateway.js';
import { type Peer, type RequestId, type Responder, refuseDuplicate } from './calls-in-flight.js';
import type { McpRequest } from './read-message.js';
import { RPC_ERROR, writeRpcError } from './rpc-error.js';
import type { ResultWriter } from './write-result.js';

/** Of one client, which needs one, and a second while it reconnects. */
const MAX_PER_CLIENT = 16;
const TOO_MANY_OF_CLIENT = `You have ${MAX_PER_CLIENT} open subscriptions, as many as one client may have. Close one before you open another.`;
const NOT_ACCEPTABLE =
  'Not Acceptable: subscriptions/listen is answered with an event stream (Accept: text/event-stream)';

/** Resources of one subscription; what it names beyond them is left out. */
const MOST_RESOURCES = 200;

interface Subscription {
  readonly id: RequestId;
  /** As of its request: a client's next token may be another. */
  readonly caller: Caller;
  readonly holder: Peer['holder'];
  readonly calls: Peer['calls'];
  /** By which news of resources names it. */
  readonly subscriber: string;
  /** What it is told of; of nothing before that is known. */
  honored: JsonObject;
}

interface SubscriptionsDeps {
  readonly native: NativeSurface;
  readonly writer: ResultWriter;
  /** Of all clients together. */
  readonly max: number;
}

/**
 * The open `subscriptions/listen` requests (2026-07-28): each is a stream of news until its client cancels it, or the gateway ends it.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export class Subscriptions {
  readonly #deps: SubscriptionsDeps;
  readonly #open = new Map<Responder, Subscription>();
  #isClosed = false;

  constructor(deps: SubscriptionsDeps) {
    this.#deps = deps;
  }

  open({ id, params }: McpRequest, peer: Peer, responder: Responder): void {
    const [why, status = 503] = this.#refusal(peer, responder);
    if (why !== undefined) {
      responder.answer(writeRpcError(id, RPC_ERROR.refused, why), status);
      return;
    }
    if (peer.calls?.begin(id, responder) === false) {
      responder.answer(refuseDuplicate(id));
      return;
    }
    const { holder, calls } = peer;
    const caller = callerOf(peer.caller, responder.carried);
    const subscription = { id, caller, holder, calls, subscriber: `stream:${randomUUID()}`, honored: {} };
    this.#open.set(responder, subscription);
    responder.onInterrupt(() => this.#end(responder, subscription));
    responder.cancellation.onCancel(() => this.#forget(responder, subscription));
    const { notifications } = params;
    void this.#begin(isJsonObject(notifications) ? notifications : {}, responder, subscription);
  }

  /** @param isConcerned whose list has changed */
  listChanged(kind: 'tools' | 'resources' | 'prompts', isConcerned: (caller: Caller) => boolean): void {
    for (const [responder, subscription] of this.#open)
      if (isConcerned(subscription.caller) && subscription.honored[`${kind}ListChanged`] === true)
        responder.notify(write(`${kind}/list_changed`, {}, subscription));
  }

  resourceUpdated(uri: string, subscribers: ReadonlySet<string>): void {
    for (const [responder, subscription] of this.#open)
      if (subscribers.has(subscription.subscriber)) responder.notify(write('resources/updated', { uri }, subscription));
  }

  /** Ends all, or those of these clients, who open them again where they still may. */
  end(isOf: (holder: Peer['holder']) => boolean = () => true): void {
    for (const [responder, subscription] of this.#open)
      if (isOf(subscription.holder)) this.#end(responder, subscription);
  }

  /** Ends all, and opens none any more. */
  close(): void {
    this.#isClosed = true;
    this.end();
  }

  #refusal({ caller }: Peer, { canNotify }: Responder): readonly [why?: string, status?: number] {
    if (!canNotify) return [NOT_ACCEPTABLE, 406];
    if (this.#isClosed) return ['The gateway is stopping. Open the subscription again when it is back.'];
    const { max } = this.#deps;
    if (this.#open.size >= max)
      return [
        `Every one of ${max} subscriptions is in use. Try again later; the operator can raise server.maxSessions.`,
      ];
    const own = [...this.#open.values()].filter((each) => each.caller.sessionId === caller.sessionId);
    return own.length >= MAX_PER_CLIENT ? [TOO_MANY_OF_CLIENT] : [];
  }

  /** Says what is honored: what the gateway has, and of the resources those that policy and their upstream allow. */
  async #begin(wanted: JsonObject, responder: Responder, subscription: Subscription): Promise<void> {
    const { tools, prompts, resources } = { tools: {}, ...this.#deps.native.capabilities(subscription.caller) };
    const has = { tools, prompts, resources };
    const lists = (['tools', 'prompts', 'resources'] as const)
      .filter((kind) => has[kind] !== undefined && wanted[`${kind}ListChanged`] === true)
      .map((kind) => [`${kind}ListChanged`, true] as const);
    const uris = await this.#watch(wanted['resourceSubscriptions'], subscription);
    if (!this.#open.has(responder)) {
      // What was subscribed to after its end has ended too.
      this.#deps.native.endSubscriber(subscription.subscriber);
      return;
    }
    subscription.honored = {
      ...Object.fromEntries(lists),
      ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
    };
    const { honored } = subscription;
    responder.notify(write('subscriptions/acknowledged', { notifications: honored }, subscription));
    if (Object.keys(honored).length === 0) this.#end(responder, subscription);
  }

  async #watch(wanted: unknown, { caller, subscriber }: Subscription): Promise<readonly string[]> {
    const uris: readonly string[] = Array.isArray(wanted) ? [...new Set<string>(wanted)].slice(0, MOST_RESOURCES) : [];
    const request = { method: 'resources/subscribe', subscriber, caller };
    const codes = await Promise.all(
      uris.map((uri) => this.#deps.native.answer({ ...request, params: { uri }, cancellation: new Cancellation() })),
    );
    return uris.filter((_uri, at) => codes[at]?.code === 'OK');
  }

  #forget(responder: Responder, { id, calls, subscriber }: Subscription): void {
    if (!this.#open.delete(responder)) return;
    calls?.take(id, responder);
    this.#deps.native.endSubscriber(subscriber);
  }

  #end(responder: Responder, subscription: Subscription): void {
    const { id } = subscription;
    this.#forget(responder, subscription);
    const result = okReply({ _meta: { [SUBSCRIPTION_ID]: id } });
    const request = { id, method: 'subscriptions/listen', params: {} };
    responder.answer(this.#deps.writer.nativeResult(request, result, 'modern'));
  }
}

function write(method: string, params: JsonObject, { id }: Subscription): string {
  const _meta = { [SUBSCRIPTION_ID]: id };
  return JSON.stringify({ jsonrpc: '2.0', method: `notifications/${method}`, params: { ...params, _meta } });
}
