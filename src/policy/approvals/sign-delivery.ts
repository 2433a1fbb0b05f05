import { createHmac } from 'node:crypto';

export interface SignedHeaders extends Record<string, string> {
  readonly 'x-mcp-aql-delivery': string;
  /** Seconds since the epoch. */
  readonly 'x-mcp-aql-timestamp': string;
  readonly 'x-mcp-aql-signature': string;
}

/**
 * The headers by which a receiver knows that a message is ours, fresh, and which one it is. Signed is the time too, so that a
 * message that was overheard cannot be sent again later.
 *
 * @param id the same for each attempt at one message
 * @param now milliseconds since the epoch
 */
export function signDelivery(id: string, body: string, secret: string, now: number): SignedHeaders {
  const timestamp = String(Math.floor(now / 1_000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return {
    'x-mcp-aql-delivery': id,
    'x-mcp-aql-timestamp': timestamp,
    'x-mcp-aql-signature': `sha256=${signature}`,
  };
}
