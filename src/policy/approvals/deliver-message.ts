import { signDelivery } from './sign-delivery.js';

const MAX_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 1_000;
const TIMEOUT_MS = 10_000;

/** Where messages go, and with which headers besides those of the signature. */
export interface Destination {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
}

export interface DeliveryDeps {
  readonly fetch: typeof fetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Undefined where the message has arrived. */
type Failure = { readonly reason: string; readonly passing: boolean } | undefined;

/**
 * Sends a message, up to five times where the receiver may yet recover: it cannot be reached, is too slow, or answers 429 or
 * 5xx. The pauses double from a second on. Resolves with undefined, or with why it did not arrive; never rejects.
 *
 * @param signal aborts the attempt under way and those to come
 */
export async function deliverMessage(
  message: { readonly id: string; readonly body: string },
  destination: Destination,
  deps: DeliveryDeps,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const failure = await send(message, destination, deps, signal);
    if (failure === undefined) return undefined;
    if (signal.aborted) return 'the gateway stopped';
    if (!failure.passing) return failure.reason;
    if (attempt === MAX_ATTEMPTS) return `${failure.reason}, at the last of ${MAX_ATTEMPTS} attempts`;
    await deps.delay(FIRST_PAUSE_MS * 2 ** (attempt - 1), signal);
    if (signal.aborted) return 'the gateway stopped';
  }
}

async function send(
  { id, body }: { readonly id: string; readonly body: string },
  { url, headers, secret }: Destination,
  { fetch, now }: DeliveryDeps,
  signal: AbortSignal,
): Promise<Failure> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', ...signDelivery(id, body, secret, now()) },
      body,
      // Whoever the receiver points to was not configured to see this.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    // An unread body would hold the connection.
    await response.body?.cancel();
    return judgeStatus(response.status);
  } catch (error) {
    return { reason: describeError(error), passing: true };
  }
}

function judgeStatus(status: number): Failure {
  if (status >= 200 && status < 300) return undefined;
  return { reason: `the receiver answered with status ${status}`, passing: status === 429 || status >= 500 };
}

/** Without the address, which may hold a secret. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'the receiver could not be reached';
  if (error.name === 'TimeoutError') return `the receiver did not answer within ${TIMEOUT_MS / 1_000} seconds`;
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return `the receiver could not be reached${code}`;
}
