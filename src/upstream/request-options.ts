import type { JSONRPCNotification } from '@modelcontextprotocol/client';
import type { JsonObject } from '../base/json/json.js';
import type { AskChannel } from '../base/protocol/ask.js';
import type { ProgressUpdate } from '../base/protocol/call.js';
import type { Cancellation } from '../base/protocol/cancellation.js';
import type { CallLog } from '../base/protocol/log-message.js';
import type { DriveTask } from './task-requests.js';

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
