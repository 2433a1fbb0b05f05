import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { echoName } from '../../base/lib/text.js';

/** One call that a program has made. */
export interface IssuedCall {
  /** Its number, in the order in which calls were made. */
  readonly index: number;
  readonly family: string | undefined;
  readonly operation: unknown;
  readonly params: unknown;
  /** Equal for equal calls. */
  readonly digest: string;
  /** Whether it only reads, whatever its arguments are; known when it begins. */
  reads?: boolean;
  /** `OK`, or the code of its failure; `running`; absent where it has not begun. */
  outcome?: string | undefined;
}

/** Reads a call as it crosses the border. */
export function readCall(text: string, index: number): IssuedCall {
  const [family, operation, params] = JSON.parse(text) as readonly [string | null, unknown, unknown];
  const digest = createHash('sha256').update(text).digest('base64url');
  return { index, family: family ?? undefined, operation, params, digest };
}

export function nameOf({ operation }: IssuedCall): string {
  return typeof operation === 'string' ? echoName(operation) : '?';
}

/** The call's params with a member more, for a token that goes with it. */
export function withMember({ params }: IssuedCall, member: JsonObject): unknown {
  return isJsonObject(params) ? { ...params, ...member } : params;
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
    .map((call) => ({ operation: nameOf(call), params: show(call.params), outcome: outcomeOf(call) }));
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

function show(params: unknown): unknown {
  const text = JSON.stringify(params) ?? 'null';
  return text.length <= MOST_SHOWN ? params : `${text.slice(0, MOST_SHOWN)}…`;
}
