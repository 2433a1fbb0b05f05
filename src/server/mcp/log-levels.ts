import { type CallLog, type LogLevel, type LogMessage, reaches } from '../../base/protocol/log-message.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { Responder } from './calls-in-flight.js';

/**
 * Which log messages the sessions of legacy clients want, as they have said with `logging/setLevel`. A session that has said nothing
 * gets none and costs nothing.
 */
export class LogLevels {
  /** By session; public, so that a call of a session asks its size alone. */
  readonly levels = new Map<string, LogLevel>();
  readonly #gateway: Pick<Gateway, 'setLogLevel'>;

  constructor(gateway: Pick<Gateway, 'setLogLevel'>) {
    this.#gateway = gateway;
  }

  set(sessionId: string, level: LogLevel): void {
    this.levels.set(sessionId, level);
    this.#gateway.setLogLevel(sessionId, level);
  }

  /** The way to the client of a waiting request; undefined where it wants no messages, or none can be sent. */
  of(sessionId: string, responder: Responder): CallLog | undefined {
    const level = this.levels.get(sessionId);
    return logTo(responder, level);
  }

  /** The message for a session of which no call waits; undefined where its client does not want it. */
  messageFor(sessionId: string, message: LogMessage): string | undefined {
    const level = this.levels.get(sessionId);
    return level !== undefined && reaches(message.level, level) ? writeLogMessage(message) : undefined;
  }

  endSession(sessionId: string): void {
    this.levels.delete(sessionId);
  }
}

/** The way to the client of a waiting request. @param level that it wants; undefined for none */
export function logTo(responder: Responder, level: LogLevel | undefined): CallLog | undefined {
  if (level === undefined || !responder.canNotify) return undefined;
  return { level, write: (message) => responder.notify(writeLogMessage(message)) };
}

function writeLogMessage(params: LogMessage): string {
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params });
}
