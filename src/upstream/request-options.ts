import type { JSONRPCNotification } from '@modelcontextprotocol/client';
import type { AskChannel } from '../protocol/ask.js';
import type { ProgressUpdate } from '../protocol/call.js';
import type { Cancellation } from '../protocol/cancellation.js';
import type { JsonObject } from '../protocol/json.js';
import type { CallLog } from '../protocol/log-message.js';
import type { DriveTask } from './tasks/task-requests.js';

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
