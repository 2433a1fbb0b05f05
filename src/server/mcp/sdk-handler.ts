import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeIncomingMessageLike, NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import { type AuthInfo, createMcpHandler, type ServerNotifier } from '@modelcontextprotocol/server';
import type { Observer } from '../../base/observe/observation.js';
import { type CarriedHeaders, callerOf } from '../../base/protocol/caller.js';
import { turns } from '../../base/turns/turns.js';
import type { RequestOrigin, SdkServerFactory } from './sdk-server.js';

/** Answers the modern requests that are not fast: discovery, subscriptions, and malformed or misplaced requests. */
export interface ModernHandler {
  /** Answers a request whose body has been parsed. */
  handle(request: IncomingMessage, response: ServerResponse, message: unknown, origin: RequestOrigin): void;
  readonly notify: ServerNotifier;
  close(): Promise<void>;
}

const LOADING = 'loading the SDK';

/** Wraps the SDK's handler, whose validation decides the status and text of every refusal. */
export function createModernHandler(
  createServer: SdkServerFactory,
  maxSubscriptions: number,
  observe: Observer,
  carried: (request: IncomingMessage) => CarriedHeaders | undefined = () => undefined,
): ModernHandler {
  const onerror = (error: Error): void => observe({ kind: 'notice', level: 'debug', message: error.message });
  // The SDK passes the authentication object of a request through unchanged, so the origin is found by it.
  const origins = new WeakMap<AuthInfo, RequestOrigin>();
  const originOf = (auth: AuthInfo | undefined): RequestOrigin => {
    const origin = auth && origins.get(auth);
    if (origin === undefined) throw new Error('a request reached the SDK without its origin');
    return origin;
  };
  const handler = createMcpHandler(({ authInfo }) => createServer('modern', () => originOf(authInfo)), {
    legacy: 'reject',
    maxSubscriptions,
    onerror,
  });
  let adapter: Promise<NodeMcpRequestHandler> | undefined;
  /**
   * Loaded with the first request that needs it, because loading it takes a tenth of the start-up time; in a turn of its own, as building
   * the schemas that the request was held against, and what the first request makes of what is loaded, are some 20 ms each.
   */
  const loadAdapter = (): Promise<NodeMcpRequestHandler> => {
    const load = async (): Promise<NodeMcpRequestHandler> => {
      await turns.next(LOADING);
      const { toNodeHandler } = await import('@modelcontextprotocol/node');
      await turns.next(LOADING);
      return toNodeHandler(handler, { onerror });
    };
    adapter ??= load();
    return adapter;
  };

  return {
    handle(request, response, message, origin) {
      const auth: AuthInfo = { token: '', clientId: origin.caller.sessionId, scopes: [] };
      origins.set(auth, { ...origin, caller: callerOf(origin.caller, carried(request)) });
      loadAdapter()
        .then((serve) => serve(Object.assign(request as NodeIncomingMessageLike, { auth }), response, message))
        .catch((cause) => observe({ kind: 'defect', where: 'answering a modern request', cause }));
    },
    notify: handler.notify,
    close: () => handler.close(),
  };
}
