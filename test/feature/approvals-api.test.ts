import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import { sendHttp } from '../support/raw-http.js';
import type { ReplayServer } from '../support/replay-server.js';

const OPERATOR_TOKEN = 'operator-has-a-long-token';
const HEADERS = { authorization: `Bearer ${OPERATOR_TOKEN}` };

let upstream: ReplayServer;

beforeAll(async () => {
  upstream = await startDangerUpstream();
});

afterAll(() => upstream?.[Symbol.asyncDispose]());

const configOf = (approvals: object = {}): object => ({
  policy: {
    rules: [{ match: { operation: 'do_reversible' }, decision: 'confirm', requires: 'human' }],
    approvals: { operators: { omar: { token: OPERATOR_TOKEN } }, ...approvals },
  },
  mcpServers: { demo: dangerEntry(upstream) },
});

const call = (who: McpClient, more: object = {}): Promise<Answer> =>
  who.call(EXECUTE, 'do_reversible', { path: '/notes/a.txt', ...more });
const tokenIn = ({ error }: Answer): string => String(error?.details?.['confirmation_token']);
const approvalIn = ({ error }: Answer): string =>
  String((error?.details?.['approval'] as { readonly id?: string } | undefined)?.id);

const urlOf = (gateway: RunningGateway, path: string): string => new URL(path, gateway.url).href;
const ask = (gateway: RunningGateway, method: 'GET' | 'POST', path: string, body?: object) =>
  sendHttp(urlOf(gateway, `/admin/approvals${path}`), {
    method,
    headers: HEADERS,
    ...(body === undefined ? {} : { body: { ...body } }),
  });

describe('the approvals API', () => {
  it('lists pending requests, accepts one decision, and says why it refuses a second', async () => {
    await using gateway = await hostGateway(configOf());
    await using client = await connectClient(gateway.url);
    const asked = await call(client);
    const id = approvalIn(asked);
    const { json: list } = await ask(gateway, 'GET', '?status=pending');
    expect(list.approvals).toMatchObject([{ id, status: 'pending' }]);
    expect(list.approvals[0]).not.toHaveProperty('parameters');
    expect(JSON.stringify(list)).not.toContain(tokenIn(asked));
    expect((await ask(gateway, 'GET', `/${id}`)).json).toMatchObject({
      ...list.approvals[0],
      parameters: { path: '/notes/a.txt' },
    });

    const denied = await ask(gateway, 'POST', `/${id}/deny`, { reason: 'not today' });
    expect(denied.json).toMatchObject({ status: 'denied', decision: { by: 'omar', reason: 'not today' } });
    const again = await ask(gateway, 'POST', `/${id}/approve`, {});
    expect([again.status, again.json.error.code]).toEqual([409, 'APPROVAL_DECIDED']);
    expect(again.json.error.message).toContain("denied by 'omar'");
    expect((await ask(gateway, 'GET', '?status=pending')).json).toEqual({ approvals: [], total: 0, next: null });
    expect((await ask(gateway, 'POST', '/unheard-of/approve', {})).status).toBe(404);
    expect((await call(client, { _confirmation: tokenIn(asked) })).error?.code).toBe('PERMISSION_DENIED');
  });

  it('answers 404 without operators', async () => {
    await using gateway = await hostGateway(configOf({ operators: {} }));
    for (const path of ['/admin/approvals', '/ui/approvals']) {
      expect((await sendHttp(urlOf(gateway, path), { method: 'GET', headers: HEADERS })).status).toBe(404);
    }
  });
});
