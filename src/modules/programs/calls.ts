import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { echoName } from '../../base/lib/text.js';
import type { SentCall } from './thread-messages.js';

/** One call that a program has made. It is text until it begins, and no more than its beginning once it has ended. */
export interface IssuedCall extends Omit<SentCall, 'text'> {
  /** Its number, in the order in which calls were made. */
  readonly index: number;
  text: string;
  /** Of one that has ended: what is told of its params, where it may have changed something. */
  shown?: unknown;
  /** Whether it only reads, by what it sends; known when it begins. */
  reads?: boolean;
  /** `OK`, or the code of its failure; `running`; absent where it has not begun. */
  outcome?: string | undefined;
}

/** What a call asks for, unchecked. */
export interface CallRequest {
  readonly operation: unknown;
  readonly params: unknown;
}

/** Parsed anew each time, so that no more is held than what runs. */
export function readCall({ text }: IssuedCall): CallRequest {
  return JSON.parse(text) as CallRequest;
}

/** Notes how a call has ended, and drops what it was made of. */
export function endCall(call: IssuedCall, outcome: string): void {
  call.outcome = outcome;
  if (call.reads !== true) call.shown = showParams(readCall(call).params);
  call.text = '';
}

export function nameOf({ operation }: IssuedCall): string {
  return operation === undefined ? '?' : echoName(operation);
}

/** With a member of the params more, for a token that goes with it. */
export function withMember({ operation, params }: CallRequest, member: JsonObject): CallRequest {
  return { operation, params: isJsonObject(params) ? { ...params, ...member } : params };
}

const MOST_LISTED = 50;
const MOST_SHOWN = 300;

/** What has run of a program: calls by operation and outcome, and one by one the last of those that may have changed something. */
export function describeCalls(calls: readonly IssuedCall[]): JsonObject {
  const begun = calls.filter(({ outcome }) => outcome !== undefined);
  const counts = new Map<string, { operation: string; outcome: string; count: number }>();
  for (const call of begun) {
    const [operation, outcome] = [nameOf(call), outcomeOf(call)];
    const key = `${operation} ${outcome}`;
    const before = counts.get(key);
    counts.set(key, { operation, outcome, count: (before?.count ?? 0) + 1 });
  }
  const changes = begun
    .filter(({ reads }) => reads !== true)
    .slice(-MOST_LISTED)
    .map((call) => ({ operation: nameOf(call), params: call.shown, outcome: outcomeOf(call) }));
  return {
    calls_run: begun.length,
    calls: [...counts.values()].slice(0, MOST_LISTED),
    ...(changes.length === 0 ? {} : { changes }),
  };
}

/** Of a call that was cut off it is not known what its server has done. */
function outcomeOf({ outcome }: IssuedCall): string {
  return outcome === undefined || outcome === 'running' ? 'unknown' : outcome;
}

/** What is told of params: all of them where they are short. */
export function showParams(params: unknown, most = MOST_SHOWN): unknown {
  const text = JSON.stringify(params) ?? 'null';
  return text.length <= Math.max(most, MOST_SHOWN) ? params : `${text.slice(0, MOST_SHOWN)}…`;
}
