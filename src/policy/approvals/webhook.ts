import type { Observer } from '../../base/observe/observation.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { Approval } from './approval-queue.js';
import { createDeliveries, type DeliveryDeps } from './signed-deliveries.js';

export type { DeliveryDeps } from './signed-deliveries.js';

/** Sends new requests to an external receiver. */
export interface Webhook {
  /** Sends in the background; never throws. The outcome is recorded and observed. */
  readonly send: (approval: Approval) => void;
  /** Gives up the messages that have not arrived yet. */
  close(): Promise<void>;
}

interface WebhookDeps extends Partial<DeliveryDeps> {
  /** The address at which people reach this gateway. */
  readonly publicUrl: string;
  readonly observe: Observer;
  readonly audit: AuditTrail;
}

/** Posts each new request as signed JSON. The message holds what an operator sees of it, and the links to decide it. */
export function createWebhook(
  target: { readonly url: string; readonly secret: string },
  { publicUrl, observe, audit, ...deps }: WebhookDeps,
): Webhook {
  const deliveries = createDeliveries(target, deps);
  const { origin } = new URL(target.url);
  const conclude = ({ id, operation, requester: { request } }: Approval, failure: string | undefined): void => {
    const event = failure === undefined ? 'notified' : 'notification_failed';
    const why = failure === undefined ? {} : { reason: failure };
    audit.record({
      type: 'approval',
      event,
      approval: id,
      operation,
      ...why,
      actor: request === undefined ? {} : { request },
    });
    observe(
      failure === undefined
        ? { kind: 'notice', level: 'debug', message: `webhook at '${origin}' was notified of request '${id}'` }
        : {
            kind: 'notice',
            level: 'warn',
            message: `webhook at '${origin}' was not notified of request '${id}': ${failure}`,
          },
    );
  };
  return {
    send: (approval) => deliveries.send(describeRequest(approval, publicUrl), (failure) => conclude(approval, failure)),
    close: deliveries.close,
  };
}

function describeRequest(approval: Approval, publicUrl: string): string {
  const base = publicUrl.replace(/\/+$/, '');
  const links = { api: `${base}/admin/approvals/${approval.id}`, page: `${base}/ui/approvals/${approval.id}` };
  return JSON.stringify({ type: 'approval.requested', approval, links });
}
