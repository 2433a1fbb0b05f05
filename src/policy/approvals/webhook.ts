import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Observer } from '../../observe/observation.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { Approval } from './approval.js';
import { type DeliveryDeps, type Destination, deliverMessage } from './deliver-message.js';

/** Tells somebody outside of new requests. */
export interface Webhook {
  /** Sends in the background; never throws. What came of it is recorded and told to the observer. */
  readonly send: (approval: Approval) => void;
  /** Gives up what has not arrived yet. */
  close(): Promise<void>;
}

export interface WebhookDeps extends Partial<DeliveryDeps> {
  /** Where people reach this gateway. */
  readonly publicUrl: string;
  readonly observe: Observer;
  readonly audit: AuditTrail;
}

const MAX_IN_FLIGHT = 4;
const MAX_WAITING = 1_000;

/** Posts each new request as signed JSON. The message holds what an operator sees of it, and where to decide it. */
export function createWebhook(
  target: { readonly url: string; readonly secret: string },
  { publicUrl, observe, audit, fetch = globalThis.fetch, now = Date.now, delay = rest }: WebhookDeps,
): Webhook {
  const destination = readDestination(target);
  const { origin } = new URL(target.url);
  const closing = new AbortController();
  const waiting: Approval[] = [];
  const inFlight = new Set<Promise<void>>();

  const conclude = ({ id, operation }: Approval, failure: string | undefined): void => {
    const event = failure === undefined ? 'notified' : 'notification_failed';
    const why = failure === undefined ? {} : { reason: failure };
    audit.record({ type: 'approval', event, approval: id, operation, ...why, actor: {} });
    observe(
      failure === undefined
        ? { kind: 'notice', level: 'debug', message: `webhook at '${origin}' was told of request '${id}'` }
        : {
            kind: 'notice',
            level: 'warn',
            message: `webhook at '${origin}' was not told of request '${id}': ${failure}`,
          },
    );
  };
  const deliver = async (approval: Approval): Promise<void> => {
    const message = { id: randomUUID(), body: describeRequest(approval, publicUrl) };
    conclude(approval, await deliverMessage(message, destination, { fetch, now, delay }, closing.signal));
  };
  const sendWaiting = (): void => {
    while (inFlight.size < MAX_IN_FLIGHT) {
      const approval = waiting.shift();
      if (approval === undefined) return;
      const delivery = deliver(approval).finally(() => {
        inFlight.delete(delivery);
        sendWaiting();
      });
      inFlight.add(delivery);
    }
  };

  return {
    send(approval) {
      if (closing.signal.aborted) return conclude(approval, 'the gateway stopped');
      if (waiting.length >= MAX_WAITING) return conclude(approval, `${MAX_WAITING} messages wait already`);
      waiting.push(approval);
      sendWaiting();
    },
    async close() {
      closing.abort();
      for (const approval of waiting.splice(0)) conclude(approval, 'the gateway stopped');
      await Promise.all(inFlight);
    },
  };
}

function describeRequest(approval: Approval, publicUrl: string): string {
  const base = publicUrl.replace(/\/+$/, '');
  const links = { api: `${base}/admin/approvals/${approval.id}`, page: `${base}/ui/approvals/${approval.id}` };
  return JSON.stringify({ type: 'approval.requested', approval, links });
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

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  // Aborting ends the pause; whoever pauses looks why.
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
