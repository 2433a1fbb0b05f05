import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { Caller } from '../../base/protocol/call.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import type { NativeSurface } from '../../gateway/gateway.js';

/** The resources of `subscriptions/listen` streams (2026-07-28), whose news the SDK sends. */
interface StreamWatches {
  /** Subscribes a stream to the resources that its request names. Undefined where it names none. */
  open(message: unknown, caller: Caller): StreamWatch | undefined;
}

export interface StreamWatch {
  /** By which news names it. */
  readonly subscriber: string;
  /** Resolves with the request, without the resources that policy or their upstream refuses. */
  readonly honored: Promise<JsonObject>;
  /** To be called when the stream has ended. */
  end(): void;
}

const PREFIX = 'stream:';

/** Whether a subscriber is a stream, and no session. */
export function isStreamSubscriber(subscriber: string): boolean {
  return subscriber.startsWith(PREFIX);
}

/** Resources of one stream; what it names beyond them is left out. */
const MOST_RESOURCES = 200;

export function createStreamWatches(native: Pick<NativeSurface, 'answer' | 'endSubscriber'>): StreamWatches {
  return {
    open(message, caller) {
      const uris = resourcesOf(message);
      if (uris.length === 0) return undefined;
      const subscriber = `${PREFIX}${randomUUID()}`;
      const subscribe = async (uri: string): Promise<readonly string[]> => {
        const cancellation = new Cancellation();
        const request = { method: 'resources/subscribe', params: { uri }, subscriber };
        const { code } = await native.answer({ ...request, caller, cancellation });
        return code === 'OK' ? [uri] : [];
      };
      let hasEnded = false;
      const end = (): void => {
        hasEnded = true;
        native.endSubscriber(subscriber);
      };
      const honored = Promise.all(uris.slice(0, MOST_RESOURCES).map(subscribe));
      return {
        subscriber,
        honored: honored.then((taken) => {
          // What was subscribed to after its end has ended too.
          if (hasEnded) end();
          return withResources(message, taken.flat());
        }),
        end,
      };
    },
  };
}

function resourcesOf(message: unknown): readonly string[] {
  const params = isJsonObject(message) ? message['params'] : undefined;
  const filter = isJsonObject(params) ? params['notifications'] : undefined;
  const uris: unknown = isJsonObject(filter) ? filter['resourceSubscriptions'] : undefined;
  // A malformed list is refused by the SDK.
  return Array.isArray(uris) && uris.every((uri) => typeof uri === 'string') ? [...new Set<string>(uris)] : [];
}

function withResources(message: unknown, resourceSubscriptions: readonly string[]): JsonObject {
  const request = isJsonObject(message) ? message : {};
  const params = isJsonObject(request['params']) ? request['params'] : {};
  const filter = isJsonObject(params['notifications']) ? params['notifications'] : {};
  return { ...request, params: { ...params, notifications: { ...filter, resourceSubscriptions } } };
}
