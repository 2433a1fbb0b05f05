import { isJsonObject, type JsonObject } from '../../protocol/json.js';

/** How documents of authorization servers are asked for; tests give their own. */
export type Fetch = typeof globalThis.fetch;

const TIMEOUT_MS = 5_000;

/** Metadata, keys and answers about tokens are some kilobytes long. */
const MAX_BYTES = 512 * 1024;

/** A document could not be had: the server is not reached, or its answer is not one. */
export class FetchFailure extends Error {
  /** The status of the answer, where there was one. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/**
 * Fetches a JSON object within bounds of time and size. Redirects are not followed: a credential goes to the configured address alone.
 * @throws FetchFailure
 */
export async function fetchJson(fetch: Fetch, url: string, init: RequestInit = {}): Promise<JsonObject> {
  const headers = { accept: 'application/json', ...init.headers };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { ...init, headers, redirect: 'error', signal }).catch((cause: unknown) => {
    throw new FetchFailure(describe(cause));
  });
  if (!response.ok) {
    await response.body?.cancel().catch(() => undefined);
    throw new FetchFailure(`it answered ${response.status}`, response.status);
  }
  const text = await readText(response);
  const value = parse(text);
  if (!isJsonObject(value)) throw new FetchFailure('its answer is no JSON object', response.status);
  return value;
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > MAX_BYTES) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new FetchFailure(describe(cause));
  }
  if (size > MAX_BYTES) throw new FetchFailure('its answer is too large', response.status);
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller says that it is no JSON object.
    return undefined;
  }
}

/** The reason of a failed request, in words for the log: the system's code where there is one. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return 'it cannot be reached';
  if (cause.name === 'TimeoutError') return `it did not answer within ${TIMEOUT_MS / 1_000} seconds`;
  const { cause: inner } = cause;
  const code = inner instanceof Error && 'code' in inner ? ` (${String(inner.code)})` : '';
  return `it cannot be reached${code}`;
}
