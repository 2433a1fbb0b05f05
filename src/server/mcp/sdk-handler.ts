import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeIncomingMessageLike, NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server';
import type { Observer } from '../../observe/observation.js';
import type { Caller } from '../../protocol/call.js';
import type { SdkServerFactory } from './sdk-server.js';

/** Everything of the 2026-07-28 era that is not hot: discovery, subscriptions, and each malformed or misplaced request. */
export interface ModernHandler {
  /** Answers a request whose body has been parsed. */
  handle(request: IncomingMessage, response: ServerResponse, message: unknown, caller: Caller): void;
  tellToolsChanged(): void;
  close(): Promise<void>;
}

/** Wraps the SDK's handler, whose validation ladder decides the status and words of every refusal. */
export function createModernHandler(createServer: SdkServerFactory, observe: Observer): ModernHandler {
  const onerror = (error: Error): void => observe({ kind: 'notice', level: 'debug', message: error.message });
  // The SDK passes the authentication of a request through untouched: it is how the caller reaches the server.
  const callers = new WeakMap<AuthInfo, Caller>();
  const callerOf = (auth: AuthInfo | undefined): Caller => {
    const caller = auth && callers.get(auth);
    if (caller === undefined) throw new Error('a request reached the SDK without its caller');
    return caller;
  };
  const handler = createMcpHandler(({ authInfo }) => createServer('modern', () => ({ caller: callerOf(authInfo) })), {
    legacy: 'reject',
    onerror,
  });
  let adapter: Promise<NodeMcpRequestHandler> | undefined;
  /** Loaded with the first request that needs it: it would be a tenth of the time to start. */
  const loadAdapter = (): Promise<NodeMcpRequestHandler> => {
    adapter ??= import('@modelcontextprotocol/node').then(({ toNodeHandler }) => toNodeHandler(handler, { onerror }));
    return adapter;
  };

  return {
    handle(request, response, message, caller) {
      const auth: AuthInfo = { token: '', clientId: caller.sessionId, scopes: [] };
      callers.set(auth, caller);
      loadAdapter()
        .then((serve) => serve(Object.assign(request as NodeIncomingMessageLike, { auth }), response, message))
        .catch((cause) => observe({ kind: 'defect', where: 'answering a modern request', cause }));
    },
    tellToolsChanged: () => handler.notify.toolsChanged(),
    close: () => handler.close(),
  };
}
