import { isJsonObject, type JsonObject, parseJson } from '../json/json.js';

/** How documents of authorization servers are asked for; tests give their own. */
export type Fetch = typeof globalThis.fetch;

const TIMEOUT_MS = 5_000;

/** Metadata, keys and answers about tokens are some kilobytes long. */
const MAX_BYTES = 512 * 1024;

/** A document could not be had: the server is not reached, or its answer is not one. */
export class FetchFailure extends Error {
  /** The status of the answer, where there was one. */
  readonly status: number | undefined;
  /** The code of the OAuth error in the answer, where it is one. */
  readonly error: string | undefined;

  constructor(message: string, status?: number, error?: string) {
    super(message);
    this.status = status;
    this.error = error;
  }
}

/** Whether a server has answered that there is no such document. */
export function isMissing(cause: unknown): boolean {
  return cause instanceof FetchFailure && cause.status !== undefined && cause.status >= 400 && cause.status < 500;
}

/**
 * Fetches a document within bounds of time and size, whatever its status. Redirects are not followed: a credential goes to the given
 * address alone.
 * @throws FetchFailure
 */
export async function fetchBounded(
  fetch: Fetch,
  url: string | URL,
  init: RequestInit = {},
): Promise<{ readonly response: Response; readonly text: string }> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { ...init, redirect: 'error', signal }).catch((cause: unknown) => {
    throw new FetchFailure(describe(cause));
  });
  return { response, text: await readText(response) };
}

/**
 * Fetches a JSON object.
 * @throws FetchFailure
 */
export async function fetchJson(fetch: Fetch, url: string, init: RequestInit = {}): Promise<JsonObject> {
  const headers = { accept: 'application/json', ...init.headers };
  const { response, text } = await fetchBounded(fetch, url, { ...init, headers });
  if (!response.ok) throw new FetchFailure(`it answered ${response.status}`, response.status, readError(text));
  const value = parseJson(text);
  if (!isJsonObject(value))
    throw new FetchFailure('its answer is no JSON object', isPage(response) ? 404 : response.status);
  return value;
}

/** Web applications send their page with status 200 for every address that they do not know. */
const isPage = ({ headers }: Response): boolean => /^text\/html\b/i.test(headers.get('content-type') ?? '');

/** The code of an OAuth error (RFC 6749, section 5.2). */
function readError(text: string): string | undefined {
  const value = parseJson(text);
  const error = isJsonObject(value) ? value['error'] : undefined;
  return typeof error === 'string' && /^[\w.-]{1,100}$/.test(error) ? error : undefined;
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

/** The reason of a failed request, in words for the log: the system's code where there is one. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return 'it cannot be reached';
  if (cause instanceof FetchFailure) return cause.message;
  const { cause: inner } = cause;
  if (isTimeout(cause) || isTimeout(inner)) return `it did not answer within ${TIMEOUT_MS / 1_000} seconds`;
  if (inner instanceof Error && inner.message === 'unexpected redirect') return 'it redirects, which is not followed';
  const code = inner instanceof Error && 'code' in inner ? ` (${String(inner.code)})` : '';
  return `it cannot be reached${code}`;
}

function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'TimeoutError';
}
