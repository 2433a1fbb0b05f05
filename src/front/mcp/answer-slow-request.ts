import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Observer } from '../../observe/observation.js';
import type { AnswerPort } from './calls-in-flight.js';
import type { OpenQuestions } from './open-questions.js';
import type { Peer } from './peer.js';
import type { SdkServerFactory } from './sdk-server.js';
import { ServerTransport } from './server-transport.js';

/** Answers any legacy request through the SDK's protocol layer. */
export type SlowAnswerer = (message: JSONRPCMessage, peer: Required<Peer>, port: AnswerPort) => void;

/**
 * Gives each request a server of its own, which is garbage once it has answered. A session's server would be awake for the
 * handshake alone and sleep in 5 kB for the rest of its life: what it offers has no state, and tool calls are hot.
 */
export function createSlowAnswerer(
  createServer: SdkServerFactory,
  questions: OpenQuestions,
  observe: Observer,
): SlowAnswerer {
  return (message, peer, port) => {
    const { caller, calls } = peer;
    const transport = new ServerTransport({ send: () => undefined }, calls);
    const reportDefect = (cause: unknown): void =>
      observe({ kind: 'defect', where: 'answering a legacy request', cause });
    port.cancellation.onCancel(() => {
      // A server whose transport is closed aborts what it was doing and never answers.
      if (isJSONRPCRequest(message)) calls.forget(message.id, port);
      transport.close().catch(reportDefect);
    });
    createServer('legacy', () => ({ caller, user: questions.channel(peer, port) }))
      .connect(transport)
      .then(() => transport.deliver(message, port))
      .catch(reportDefect);
  };
}
