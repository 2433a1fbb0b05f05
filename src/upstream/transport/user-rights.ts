import type { JsonObject } from '../../base/json/json.js';
import type { AskChannel } from '../../base/protocol/ask.js';
import type { Caller } from '../../base/protocol/caller.js';
import type { Cancellation } from '../../base/protocol/cancellation.js';
import { OperationError } from '../../base/protocol/operation-error.js';

/** Whose rights the calls of one upstream use, where they are not the same for all callers. */
export interface UserRights {
  /** Whose rights the calls of this caller use. What is of one owner is never given to another. */
  ownerOf(caller: Caller): string;
  /**
   * Resolves when the caller has rights, and asks its user for them where the client can be asked. Rejects with an `OperationError` that
   * says what the user must do.
   */
  require(request: RightsRequest): Promise<void>;
  /**
   * The same after a call that did not run. Resolves with whether the caller has other rights now; with false at once where the server has
   * not refused those that it had.
   */
  renew(request: RightsRequest, failure: JsonObject): Promise<boolean>;
  /** What the requests of an owner's connection carry. */
  credentialsOf(owner: string): RequestCredentials;
  /** What the gateway's own requests carry, by which it reads what the server offers. */
  readonly discovery: RequestCredentials;
  /** Calls the listener when an owner has got rights, or lost them. Returns a function that removes it. */
  onChanged(listener: (owner: string, hasRights: boolean) => void): () => void;
}

/** A call that needs rights. */
export interface RightsRequest {
  readonly caller: Caller;
  readonly cancellation: Cancellation;
  readonly ask?: AskChannel | undefined;
}

/** What the requests of one connection carry beside the configured headers. */
export interface RequestCredentials {
  /** By names in lower case; asked anew for each request. Rejects where there are none. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** The server has refused a request with them. Resolves with whether there are others now, so that it may be sent again. */
  refused(refusal: Refusal): Promise<boolean>;
  /** All of them that have been sent: what must not come back in answers. Another array where they have changed. */
  readonly secrets: readonly string[];
  /** Of those of the gateway's own requests: whether the server has shown them nothing because they are nobody's. */
  readonly isRefused?: boolean;
}

/** A refused request: it did not run. */
export interface Refusal {
  readonly status: 401 | 403;
  /** The header `WWW-Authenticate`. */
  readonly challenge: string | undefined;
  /** What the request carried. */
  readonly sent: Readonly<Record<string, string>>;
  /** Whether the request has been repeated already, and is not sent again. */
  readonly isLast: boolean;
}

/** Sends a call with its caller's rights, and once more where the server has refused them and the user has renewed them. */
export async function sendWithRights<T>(
  rights: UserRights,
  request: RightsRequest,
  send: () => Promise<T>,
): Promise<T> {
  const { caller, cancellation, ask } = request;
  const needed = { caller, cancellation, ask };
  await rights.require(needed);
  try {
    return await send();
  } catch (error) {
    if (!hasNotRun(error) || !(await rights.renew(needed, error.details))) throw error;
    return send();
  }
}

/** Whether a call that has failed was refused before it ran, or found no connection. */
function hasNotRun(error: unknown): error is OperationError {
  if (!(error instanceof OperationError)) return false;
  const { http_status: status, outcome } = error.details;
  return status === 401 || status === 403 || outcome === 'not_run';
}
