import { isJsonObject, type JsonObject } from '../json/json.js';
import type { Caller } from './caller.js';
import type { Cancellation } from './cancellation.js';

/** What a server may ask of a client while it runs a call: its user, its model, or its list of folders. */
export const ASK_METHODS = ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const;

export type AskMethod = (typeof ASK_METHODS)[number];

export interface Question {
  readonly method: AskMethod;
  readonly params: JsonObject;
  /** What the server calls it, where it asks by the answer to a request (2026-07-28): clients of that era see the same. */
  readonly key?: string;
}

/** What a client has declared that servers may ask of it. */
export interface AskAbilities {
  /** Shows forms to its user. */
  readonly form: boolean;
  /** Offers its user pages to open. */
  readonly url: boolean;
  /** Has texts written by its model. */
  readonly sampling: boolean;
  /** The same with tools that the server offers. */
  readonly samplingTools: boolean;
  /** Lists the folders that it works in. */
  readonly roots: boolean;
}

/**
 * The way from a server's question to the client that has sent the call. Absent from a call whose client has declared nothing that it
 * could be asked, and from one that no client waits for.
 */
export interface AskChannel {
  readonly caller: Caller;
  readonly abilities: AskAbilities;
  /** How often the client has said that its folders changed. Absent where its era has no such news: it is asked with each call. */
  readonly rootsChanges?: number;
  /**
   * Asks the client; resolves with its result as it sent it. Rejects with an `AskFailure`. The question is withdrawn when it is
   * cancelled, and when the call ends.
   */
  ask(question: Question, cancellation: Cancellation): Promise<JsonObject>;
  /**
   * Says that what the client's user did on a page that was asked for is done. Absent where the client's era has no such news.
   * @param isOver whether the call has ended meanwhile
   */
  completed?(elicitationId: string, isOver: boolean): void;
}

/** JSON-RPC errors for the server that has asked. */
export const ASK_ERROR = {
  /** The client does not offer this. */
  unsupported: -32601,
  /** The question is not one that may be asked. */
  invalid: -32602,
  internal: -32603,
  /** No answer came in time. */
  expired: -32001,
} as const;

/** Why a question has no answer. The message is for the server that has asked. */
export class AskFailure extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'AskFailure';
    this.code = code;
  }
}

export const NO_ABILITIES: AskAbilities = Object.freeze({
  form: false,
  url: false,
  sampling: false,
  samplingTools: false,
  roots: false,
});

export const ALL_ABILITIES: AskAbilities = Object.freeze({
  form: true,
  url: true,
  sampling: true,
  samplingTools: true,
  roots: true,
});

/**
 * What a client's capabilities declare. An empty `elicitation` means forms: it is the declaration of revisions without modes.
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#capabilities
 */
export function readAbilities(capabilities: unknown): AskAbilities {
  if (!isJsonObject(capabilities)) return NO_ABILITIES;
  const { elicitation, sampling, roots } = capabilities;
  if (elicitation === undefined && sampling === undefined && roots === undefined) return NO_ABILITIES;
  const modes = isJsonObject(elicitation) ? elicitation : undefined;
  const model = isJsonObject(sampling) ? sampling : undefined;
  return {
    form: modes !== undefined && (modes['form'] !== undefined || modes['url'] === undefined),
    url: modes?.['url'] !== undefined,
    sampling: model !== undefined,
    samplingTools: model?.['tools'] !== undefined,
    roots: isJsonObject(roots),
  };
}

/** The same abilities as capabilities: what a server is told. */
export function writeAbilities({ form, url, sampling, samplingTools, roots }: AskAbilities): JsonObject {
  return {
    ...(form || url ? { elicitation: { ...(form ? { form: {} } : {}), ...(url ? { url: {} } : {}) } } : {}),
    ...(sampling ? { sampling: samplingTools ? { tools: {} } : {} } : {}),
    ...(roots ? { roots: {} } : {}),
  };
}

/** Whether there is anything that the client can be asked. */
export function canBeAsked({ form, url, sampling, roots }: AskAbilities): boolean {
  return form || url || sampling || roots;
}
