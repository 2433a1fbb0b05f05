import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Posts signed messages to one receiver, and tries again where that may help. */
interface Deliveries {
  /** Sends in the background; never throws. @param conclude called once, with the reason where the message did not arrive */
  readonly send: (body: string, conclude: (failure: string | undefined) => void) => void;
  /** Gives up the messages that have not arrived yet. */
  close(): Promise<void>;
}

export interface DeliveryDeps {
  readonly fetch: typeof fetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Resolves after `ms` milliseconds, or as soon as the signal is aborted. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
}

const MAX_IN_FLIGHT = 4;
const MAX_WAITING = 1_000;
const STOPPED = 'the gateway stopped';

export function createDeliveries(
  target: { readonly url: string; readonly secret: string },
  { fetch = globalThis.fetch, now = Date.now, delay = pause }: Partial<DeliveryDeps> = {},
): Deliveries {
  const destination = readDestination(target);
  const closing = new AbortController();
  const waiting: Message[] = [];
  /** Those that were attempted before. */
  const retries: Message[] = [];
  const inFlight = new Set<Promise<void>>();
  const paused = new Set<Promise<void>>();

  /** Makes one attempt. One that may succeed later gives up its place meanwhile, so that a new message waits for none. */
  const attempt = async (message: Message): Promise<void> => {
    const { conclude } = message;
    const failure = await send(message, destination, { fetch, now }, closing.signal);
    const number = message.attempts + 1;
    if (failure === undefined) return conclude(undefined);
    if (closing.signal.aborted) return conclude(STOPPED);
    if (!failure.passing) return conclude(failure.reason);
    if (number === MAX_ATTEMPTS) return conclude(`${failure.reason}, at the last of ${MAX_ATTEMPTS} attempts`);
    if (paused.size + retries.length >= MAX_WAITING) return conclude(failure.reason);
    const pausing = pauseBefore({ ...message, attempts: number }).finally(() => paused.delete(pausing));
    paused.add(pausing);
  };
  const pauseBefore = async (message: Message): Promise<void> => {
    await delay(FIRST_PAUSE_MS * 2 ** (message.attempts - 1), closing.signal);
    if (closing.signal.aborted) return message.conclude(STOPPED);
    retries.push(message);
    sendWaiting();
  };
  const sendWaiting = (): void => {
    while (inFlight.size < MAX_IN_FLIGHT) {
      // A new message can still matter; one that has waited long may have expired.
      const message = waiting.pop() ?? retries.pop();
      if (message === undefined) return;
      const delivery = attempt(message).finally(() => {
        inFlight.delete(delivery);
        sendWaiting();
      });
      inFlight.add(delivery);
    }
  };

  return {
    send(body, conclude) {
      if (closing.signal.aborted) return conclude(STOPPED);
      waiting.push({ conclude, id: randomUUID(), body, attempts: 0 });
      const oldest = waiting.length > MAX_WAITING ? waiting.shift() : undefined;
      if (oldest !== undefined) oldest.conclude(`${MAX_WAITING} newer messages wait`);
      sendWaiting();
    },
    async close() {
      closing.abort();
      for (const { conclude } of [...waiting.splice(0), ...retries.splice(0)]) conclude(STOPPED);
      await Promise.all(inFlight);
      await Promise.all(paused);
    },
  };
}

/** `fetch` takes no URL with a name and a password in it: they go into a header, as a browser would send them. */
function readDestination({ url, secret }: { readonly url: string; readonly secret: string }): Destination {
  const target = new URL(url);
  const { username, password } = target;
  if (username === '' && password === '') return { url, headers: {}, secret };
  target.username = '';
  target.password = '';
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { url: target.href, headers: { authorization }, secret };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // Aborting ends the pause; the caller reads the signal.
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

/** A receiver recovers from a refused connection, a time-out, 429 and 5xx; the pauses between attempts double. */
const MAX_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 1_000;
const TIMEOUT_MS = 10_000;

/** Where messages go, and with which headers besides those of the signature. */
interface Destination {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
}

/** Why a message did not arrive; undefined where it did. `passing` failures may succeed on a retry. */
type Failure = { readonly reason: string; readonly passing: boolean } | undefined;

/** A message on its way to the receiver. */
interface Message {
  readonly conclude: (failure: string | undefined) => void;
  /** The same for each attempt. */
  readonly id: string;
  readonly body: string;
  /** How often it was sent in vain. */
  readonly attempts: number;
}

/** Makes one attempt. Never rejects. @param signal aborts it */
async function send(
  { id, body }: Message,
  { url, headers, secret }: Destination,
  { fetch, now }: Pick<DeliveryDeps, 'fetch' | 'now'>,
  signal: AbortSignal,
): Promise<Failure> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', ...signDelivery(id, body, secret, now()) },
      body,
      // The target of a redirect was not configured to receive this message.
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

interface SignedHeaders extends Record<string, string> {
  readonly 'x-mcp-aql-delivery': string;
  /** Seconds since the epoch. */
  readonly 'x-mcp-aql-timestamp': string;
  readonly 'x-mcp-aql-signature': string;
}

/**
 * The headers by which a receiver recognizes that a message is ours, recent, and which one it is. The time and
 * the id are signed too, so that an intercepted message can be replayed neither later nor as another one.
 *
 * @param id the same for each attempt at one message
 * @param now milliseconds since the epoch
 */
function signDelivery(id: string, body: string, secret: string, now: number): SignedHeaders {
  const timestamp = String(Math.floor(now / 1_000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.${id}.${body}`).digest('hex');
  return {
    'x-mcp-aql-delivery': id,
    'x-mcp-aql-timestamp': timestamp,
    'x-mcp-aql-signature': `sha256=${signature}`,
  };
}
