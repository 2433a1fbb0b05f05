import type { JSONRPCNotification } from '@modelcontextprotocol/client';
import type { JsonObject } from '../base/json/json.js';
import type { AskChannel } from '../base/protocol/ask.js';
import type { ProgressUpdate } from '../base/protocol/call.js';
import type { Cancellation } from '../base/protocol/cancellation.js';
import type { CallLog } from '../base/protocol/log-message.js';
import type { CallResult } from './call-result.js';
import type { CallQuestions } from './questions/server-questions.js';
import type { DriveTask } from './task-requests.js';
import type { ProgressAllowance } from './unasked-messages.js';

/** What a request to a server brings beside its params. */
export interface RequestOptions {
  /** Silence longer than this fails the request; progress starts the clock anew. */
  readonly timeoutMs: number;
  /** The request fails after so long, whatever progress it shows. A longer `timeoutMs` counts instead. */
  readonly maxMs?: number;
  readonly cancellation?: Cancellation;
  readonly onProgress?: ((update: ProgressUpdate) => void) | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What the server may ask while the request waits. */
  readonly ask?: AskChannel | undefined;
  readonly log?: CallLog | undefined;
  /** What `_meta` says of this request beside what it says of all. */
  readonly meta?: JsonObject | undefined;
  /** Takes over where the answer is a task: the request goes on until that has ended. */
  readonly drive?: DriveTask | undefined;
  /** Set for a part of a request that is in flight: it is sent although the connection takes no new ones. */
  readonly continues?: boolean;
  /** Sent before the request, which waits until it is delivered, or refused. */
  readonly preface?: JSONRPCNotification | undefined;
}

/** A request that waits for its answer. */
export interface Pending {
  readonly resolve: (result: CallResult) => void;
  readonly reject: (error: unknown) => void;
  readonly method: string;
  /** The tool of a call, the method of any other request. */
  readonly subject: string;
  readonly sentAt: number;
  readonly timeoutMs: number;
  readonly onProgress: ((update: ProgressUpdate) => void) | undefined;
  /** Undefined before the first update. */
  allowance: ProgressAllowance | undefined;
  /** What had arrived from the server when the request was sent. */
  readonly activity: number;
  readonly ask: AskChannel | undefined;
  readonly log: CallLog | undefined;
  /** What the server has asked; undefined for most. */
  questions: CallQuestions | undefined;
  /** When it fails in any case. */
  endsAt: number;
  readonly maxMs: number;
  deadline: number;
}

/** The time that a person took for an answer is not the server's. */
export function restartClock(pending: Pending, waitedMs: number): void {
  pending.endsAt += waitedMs;
  pending.deadline = Math.min(performance.now() + pending.timeoutMs, pending.endsAt);
}

/** Requests that the gateway makes for itself, or about a call that is in flight already. */
export const OWN_METHODS: ReadonlySet<string> = new Set([
  'ping',
  'tasks/get',
  'tasks/result',
  'tasks/update',
  'tasks/cancel',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'skills/list',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'logging/setLevel',
]);
