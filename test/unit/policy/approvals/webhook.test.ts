import { createHmac } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../../../../src/base/observe/observation.js';
import type { Approval } from '../../../../src/policy/approvals/approval-queue.js';
import { createWebhook, type DeliveryDeps, type Webhook } from '../../../../src/policy/approvals/webhook.js';
import { type AuditEvent, noAuditTrail } from '../../../../src/policy/audit/audit-trail.js';
import { aRequest, START } from './approval-bench.js';
import { type ReceivedPost, startReceiver, withStatus } from './webhook-receiver.js';

const SECRET = 'a shared secret';

type ApprovalEvent = Extract<AuditEvent, { readonly type: 'approval' }>;

function anApproval(id = 'ap_0123456789'): Approval {
  return {
    ...aRequest(),
    id,
    status: 'pending',
    requestedAt: '2026-03-01T12:00:00.000Z',
    expiresAt: '2026-03-01T12:15:00.000Z',
    decision: null,
  };
}

interface WebhookBench {
  readonly webhook: Webhook;
  readonly events: ApprovalEvent[];
  readonly notices: Observation[];
  readonly pauses: number[];
  /** Resolves when so many messages have come to an end, one way or the other. */
  concluded(count: number): Promise<void>;
}

/** A webhook whose pauses take no time and move the clock. */
function createBench(url: string, deps: Partial<DeliveryDeps> = {}): WebhookBench {
  const events: ApprovalEvent[] = [];
  const notices: Observation[] = [];
  const pauses: number[] = [];
  let time = START;
  let watcher = (): void => undefined;
  const webhook = createWebhook(
    { url, secret: SECRET },
    {
      publicUrl: 'https://gateway.example/',
      now: () => time,
      delay: async (ms) => {
        pauses.push(ms);
        time += ms;
      },
      audit: { ...noAuditTrail, record: (event) => void events.push(event as ApprovalEvent) },
      observe: (observation) => {
        notices.push(observation);
        watcher();
      },
      ...deps,
    },
  );
  const concluded = (count: number): Promise<void> =>
    new Promise((resolve) => {
      watcher = () => {
        if (notices.length >= count) resolve();
      };
      watcher();
    });
  return { webhook, events, notices, pauses, concluded };
}

function signatureOf({ headers, body }: ReceivedPost, secret = SECRET): string {
  const text = `${headers['x-mcp-aql-timestamp']}.${headers['x-mcp-aql-delivery']}.${body}`;
  return `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
}

const outcomes = (events: readonly ApprovalEvent[]) => events.map(({ event, reason }) => [event, reason]);

describe('a webhook message', () => {
  it('is posted as signed JSON, with links to decide the request', async () => {
    await using receiver = await startReceiver();
    const { webhook, events, notices, concluded } = createBench(`${receiver.url}/hook?key=hush`);
    webhook.send(anApproval());
    await concluded(1);
    const [post] = receiver.posts as [ReceivedPost];
    expect(post).toMatchObject({
      method: 'POST',
      path: '/hook?key=hush',
      headers: {
        'content-type': 'application/json',
        'x-mcp-aql-timestamp': String(START / 1_000),
        'x-mcp-aql-signature': signatureOf(post),
        'x-mcp-aql-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    });
    expect(signatureOf(post, 'another secret')).not.toBe(post.headers['x-mcp-aql-signature']);
    expect(JSON.parse(post.body)).toEqual({
      type: 'approval.requested',
      approval: anApproval(),
      links: {
        api: 'https://gateway.example/admin/approvals/ap_0123456789',
        page: 'https://gateway.example/ui/approvals/ap_0123456789',
      },
    });
    expect(events).toEqual([
      {
        type: 'approval',
        event: 'notified',
        approval: 'ap_0123456789',
        operation: 'github__delete_repository',
        actor: {},
      },
    ]);
    const message = `webhook at '${receiver.url}' was notified of request 'ap_0123456789'`;
    expect(notices).toEqual([{ kind: 'notice', level: 'debug', message }]);
  });

  it('sends the user and password of the address in a header and records no secret', async () => {
    await using receiver = await startReceiver(withStatus(400));
    const address = receiver.url.replace('//', '//hook:p%40ss@');
    const { webhook, events, notices, concluded } = createBench(`${address}/secret-path?key=hush`);
    webhook.send(anApproval());
    await concluded(1);
    const [post] = receiver.posts as [ReceivedPost];
    expect(post.headers.authorization).toBe(`Basic ${Buffer.from('hook:p@ss').toString('base64')}`);
    const recorded = JSON.stringify([events, notices]);
    for (const secret of ['p%40ss', 'p@ss', 'hush', 'secret-path', SECRET]) expect(recorded).not.toContain(secret);
  });

  it.each([
    ['a busy receiver', [503, 429, 500, 200], [1_000, 2_000, 4_000]],
    ['one failure', [502, 204], [1_000]],
  ])('is sent again after %s', async (_, statuses, expected) => {
    await using receiver = await startReceiver(withStatus(...statuses));
    const { webhook, events, pauses, concluded } = createBench(receiver.url);
    webhook.send(anApproval());
    await concluded(1);
    expect(outcomes(events)).toEqual([['notified', undefined]]);
    expect(pauses).toEqual(expected);
    expect(receiver.posts).toHaveLength(statuses.length);
    expect(new Set(receiver.posts.map(({ headers }) => headers['x-mcp-aql-delivery'])).size).toBe(1);
    // Each attempt gets a new signature, because a receiver refuses an old one.
    const stamps = receiver.posts.map(({ headers }) => Number(headers['x-mcp-aql-timestamp']));
    expect(stamps).toEqual([...new Set(stamps)].sort((one, other) => one - other));
    for (const post of receiver.posts) expect(post.headers['x-mcp-aql-signature']).toBe(signatureOf(post));
  });

  it('is given up after five attempts', async () => {
    await using receiver = await startReceiver(withStatus(503));
    const { webhook, events, notices, pauses, concluded } = createBench(receiver.url);
    webhook.send(anApproval());
    await concluded(1);
    const reason = 'the receiver answered with status 503, at the last of 5 attempts';
    expect(receiver.posts).toHaveLength(5);
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(outcomes(events)).toEqual([['notification_failed', reason]]);
    const message = `webhook at '${receiver.url}' was not notified of request 'ap_0123456789': ${reason}`;
    expect(notices).toEqual([{ kind: 'notice', level: 'warn', message }]);
  });

  it.each([301, 302, 307, 308, 400, 401, 404, 410])(
    'is given up at once on status %i, without following a redirect',
    async (status) => {
      await using receiver = await startReceiver(withStatus(status));
      const { webhook, events, concluded } = createBench(receiver.url);
      webhook.send(anApproval());
      await concluded(1);
      expect(receiver.posts.map(({ path }) => path)).toEqual(['/']);
      expect(outcomes(events)).toEqual([['notification_failed', `the receiver answered with status ${status}`]]);
    },
  );

  it('is sent again where the receiver refuses the connection', async () => {
    const { url } = await closedReceiver();
    const { webhook, events, pauses, concluded } = createBench(url);
    webhook.send(anApproval());
    await concluded(1);
    expect(pauses).toHaveLength(4);
    const reason = 'the receiver could not be reached (ECONNREFUSED), at the last of 5 attempts';
    expect(outcomes(events)).toEqual([['notification_failed', reason]]);
  });

  it('is sent again where the receiver is too slow', async () => {
    const slow = (): Promise<never> => Promise.reject(new DOMException('too slow', 'TimeoutError'));
    const { webhook, events, pauses, concluded } = createBench('http://receiver.example', { fetch: slow });
    webhook.send(anApproval());
    await concluded(1);
    expect(pauses).toHaveLength(4);
    const reason = 'the receiver did not answer within 10 seconds, at the last of 5 attempts';
    expect(outcomes(events)).toEqual([['notification_failed', reason]]);
  });
});

/** The address of a receiver that has gone away. */
async function closedReceiver(): Promise<{ readonly url: string }> {
  await using receiver = await startReceiver();
  return { url: receiver.url };
}

describe('many webhook messages', () => {
  it('are sent four at a time, the newest first', async () => {
    const answers: (() => void)[] = [];
    const held: typeof fetch = () =>
      new Promise((resolve) => {
        answers.push(() => resolve(new Response(null, { status: 204 })));
      });
    const { webhook, events, concluded } = createBench('http://receiver.example', { fetch: held });
    for (let index = 0; index < 10; index += 1) webhook.send(anApproval(`ap_${index}`));
    for (let answered = 0; answered < 10; answered += 1) {
      expect(answers).toHaveLength(Math.min(answered + 4, 10));
      answers[answered]?.();
      await concluded(answered + 1);
      // The next one goes out when the turn of events that ended this one is over.
      await setImmediate();
    }
    expect(events.map(({ approval }) => approval)).toEqual(
      [0, 1, 2, 3, 9, 8, 7, 6, 5, 4].map((index) => `ap_${index}`),
    );
  });

  it('do not keep a new one waiting where the receiver failed before', async () => {
    const sent: string[] = [];
    const failing: typeof fetch = async (_url, init) => {
      sent.push((JSON.parse(String(init?.body)) as { approval: { id: string } }).approval.id);
      return new Response(null, { status: sent.length > 30 ? 204 : 503 });
    };
    const held = new Promise<void>(() => undefined);
    const { webhook, concluded } = createBench('http://receiver.example', { fetch: failing, delay: () => held });
    for (let index = 0; index < 30; index += 1) webhook.send(anApproval(`ap_${index}`));
    while (sent.length < 30) await setImmediate();
    webhook.send(anApproval('ap_new'));
    await concluded(1);
    expect(sent.at(-1)).toBe('ap_new');
  });

  it('are dropped beyond a thousand that wait, the oldest first, and recorded', async () => {
    const { webhook, events } = createBench('http://receiver.example', { fetch: neverAnswer });
    for (let index = 0; index < 1_006; index += 1) webhook.send(anApproval(`ap_${index}`));
    expect(events.map(({ approval }) => approval)).toEqual(['ap_4', 'ap_5']);
    expect(outcomes(events)[0]).toEqual(['notification_failed', '1000 newer messages wait']);
    await webhook.close();
    expect(events).toHaveLength(1_006);
  });
});

/** Ends only when it is aborted. */
const neverAnswer: typeof fetch = (_url, init) =>
  new Promise((_, reject) => {
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
  });

describe('closing a webhook', () => {
  const stopped = [['notification_failed', 'the gateway stopped']];

  it('gives up an attempt under way', async () => {
    await using receiver = await startReceiver(() => undefined);
    const { webhook, events } = createBench(receiver.url);
    webhook.send(anApproval());
    await receiver.received(1);
    await webhook.close();
    expect(outcomes(events)).toEqual(stopped);
  });

  it('gives up the pause between two attempts', async () => {
    await using receiver = await startReceiver(withStatus(503));
    let pause = (): void => undefined;
    const paused = new Promise<void>((resolve) => {
      pause = resolve;
    });
    const { webhook, events } = createBench(receiver.url, {
      delay: (_ms, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve());
          pause();
        }),
    });
    webhook.send(anApproval());
    await paused;
    await webhook.close();
    expect(outcomes(events)).toEqual(stopped);
    expect(receiver.posts).toHaveLength(1);
  });

  it('sends nothing more', async () => {
    await using receiver = await startReceiver();
    const { webhook, events } = createBench(receiver.url);
    await webhook.close();
    webhook.send(anApproval());
    expect(outcomes(events)).toEqual(stopped);
    expect(receiver.posts).toEqual([]);
  });

  it('gives up a pause of the real timer', async () => {
    await using receiver = await startReceiver(withStatus(503));
    const events: AuditEvent[] = [];
    const webhook = createWebhook(
      { url: receiver.url, secret: SECRET },
      {
        publicUrl: 'https://gateway.example',
        observe: () => undefined,
        audit: { ...noAuditTrail, record: (event) => void events.push(event) },
      },
    );
    webhook.send(anApproval());
    await receiver.received(1);
    await webhook.close();
    expect(events).toMatchObject([{ event: 'notification_failed', reason: 'the gateway stopped' }]);
  });
});
