import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasInvisible } from '../../src/base/lib/text.js';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import { sendHttp } from '../support/raw-http.js';
import type { ReplayServer } from '../support/replay-server.js';
import { runCli } from '../support/run-cli.js';

const OPERATION = 'do_reversible';
const PARAMS = { path: '/notes/a.txt', count: 1 };
const OPERATOR = { authorization: 'Bearer operator-has-a-long-token' };
const CLIENT = 'alice-has-a-long-token';
const RULE = {
  name: 'ask-a-person',
  match: { operation: OPERATION },
  decision: 'confirm',
  requires: 'human',
  reason: 'it changes notes',
};

let upstream: ReplayServer;

beforeAll(async () => {
  upstream = await startDangerUpstream();
});

afterAll(() => upstream?.[Symbol.asyncDispose]());

interface Settings {
  readonly approvals?: object;
  readonly store?: object;
}

const configOf = ({ approvals = {}, store }: Settings): object => ({
  ...(store === undefined ? {} : { store }),
  clients: { alice: { token: CLIENT } },
  policy: { rules: [RULE], approvals: { operators: { omar: { token: 'operator-has-a-long-token' } }, ...approvals } },
  mcpServers: { demo: dangerEntry(upstream) },
});

const call = (who: McpClient, more: object = {}): Promise<Answer> =>
  who.call(EXECUTE, OPERATION, { ...PARAMS, ...more });
const codeOf = ({ success, error }: Answer): string => (success ? 'OK' : (error?.code ?? ''));
const tokenIn = ({ error }: Answer): string => String(error?.details?.['confirmation_token']);
const approvalIn = ({ error }: Answer): string =>
  String((error?.details?.['approval'] as { id?: string } | undefined)?.id);

const adminUrl = (gateway: RunningGateway, path: string): string => new URL(path, gateway.url).href;

const operate = (gateway: RunningGateway, ...args: readonly string[]) =>
  runCli(['approvals', ...args, '--config', join(gateway.directory, 'gateway.config.json')], {
    cwd: gateway.directory,
  });

describe("the client's user", () => {
  let gateway: RunningGateway;

  beforeAll(async () => {
    gateway = await hostGateway(configOf({}));
  });

  afterAll(() => gateway?.[Symbol.asyncDispose]());

  describe.each(['legacy', 'auto'] as const)('in the %s era', (mode) => {
    it.each([
      ['accepts', { action: 'accept', content: { approve: true } }, 'OK'],
      ['accepts the form without approving', { action: 'accept', content: { approve: false } }, 'PERMISSION_DENIED'],
      ['declines', { action: 'decline' }, 'PERMISSION_DENIED'],
      ['closes the window', { action: 'cancel' }, 'PERMISSION_DENIED'],
    ] as const)('%s, and the call gets the matching answer', async (_what, answer, code) => {
      const questions: string[] = [];
      await using client = await connectClient(gateway.url, mode, {
        token: CLIENT,
        answer: (question) => {
          questions.push(question);
          return answer;
        },
      });
      const before = upstream.calls.length;
      expect(codeOf(await call(client))).toBe(code);
      expect(upstream.calls).toHaveLength(before + (code === 'OK' ? 1 : 0));
      expect(questions).toHaveLength(1);
      expect(questions[0]).toContain("'/notes/a.txt'");
      expect(questions[0]).toContain('it changes notes');
      expect(questions[0]).toContain("client 'alice'");
    });
  });
});

describe('the operator', () => {
  it('approves at the command line, and the token is not accepted before', async () => {
    await using gateway = await hostGateway(configOf({}));
    await using client = await connectClient(gateway.url, 'auto', { token: CLIENT });
    const before = upstream.calls.length;
    const asked = await call(client);
    expect(asked.error).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
      details: { requires: 'human', approval: { status: 'pending' } },
    });
    const token = tokenIn(asked);
    expect(codeOf(await call(client, { _confirmation: token }))).toBe('CONFIRMATION_REQUIRED');
    expect(upstream.calls).toHaveLength(before);

    const [waiting] = JSON.parse((await operate(gateway, 'list', '--json')).stdout);
    expect(waiting).toMatchObject({
      id: approvalIn(asked),
      status: 'pending',
      operation: `demo__${OPERATION}`,
      parameters: PARAMS,
      requester: { client: 'alice' },
      rule: 'ask-a-person',
    });
    expect((await operate(gateway, 'show', waiting.id)).stdout).toContain('it changes notes');
    expect((await operate(gateway, 'approve', waiting.id, '--reason', 'looks right')).code).toBe(0);

    expect(codeOf(await call(client, { _confirmation: token }))).toBe('OK');
    expect(codeOf(await call(client, { _confirmation: token }))).toBe('TOKEN_ALREADY_USED');
    expect(upstream.calls).toHaveLength(before + 1);
    const again = await operate(gateway, 'deny', waiting.id);
    expect(again.code).toBe(5);
    expect(again.stderr).toContain('already decided');
  });

  it('sees the parameters at the command line with control characters escaped', async () => {
    await using gateway = await hostGateway(configOf({}));
    await using client = await connectClient(gateway.url, 'auto', { token: CLIENT });
    const path = "/notes\u001b[2A\u009b2K\u202e\nstatus harmless', count = '0";
    const asked = await client.call(EXECUTE, OPERATION, { path });
    const shown = (await operate(gateway, 'show', approvalIn(asked))).stdout;
    expect(hasInvisible(shown)).toBe(false);
    expect(shown).not.toMatch(/^status/m);
    expect(shown).toContain("path = '/notes\\u001b[2A\\u009b2K\\u202e\\nstatus harmless\\', count = \\'0'?");
    expect((await operate(gateway, 'list')).stdout.trimEnd().split('\n')).toHaveLength(1);
  });

  it('denies, and the caller gets the reason', async () => {
    await using gateway = await hostGateway(configOf({}));
    await using client = await connectClient(gateway.url, 'auto', { token: CLIENT });
    const asked = await call(client);
    await operate(gateway, 'deny', approvalIn(asked), '--reason', 'not on a Sunday');
    const { error } = await call(client, { _confirmation: tokenIn(asked) });
    expect(error).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(error?.message).toContain('not on a Sunday');
  });

  it('decides over HTTP while the call waits, with a state that is not shared', async () => {
    await using gateway = await hostGateway(
      configOf({ store: { type: 'memory' }, approvals: { mode: 'wait', waitSeconds: 60 } }),
    );
    await using client = await connectClient(gateway.url, 'auto', { token: CLIENT });
    const pending = call(client);
    const list = () =>
      sendHttp(adminUrl(gateway, '/admin/approvals?status=pending'), { method: 'GET', headers: OPERATOR });
    let waiting = await list();
    while (waiting.json.approvals.length === 0) waiting = await list();
    const { id } = waiting.json.approvals[0];
    const approved = await sendHttp(adminUrl(gateway, `/admin/approvals/${id}/approve`), {
      headers: OPERATOR,
      body: {},
    });
    expect(approved.status).toBe(200);
    expect(approved.json).toMatchObject({ id, status: 'approved', decision: { by: 'omar' } });
    expect(codeOf(await pending)).toBe('OK');
    expect((await operate(gateway, 'list')).stderr).toContain('in memory');
  });

  it.each([
    ['an anonymous caller', {}, 401],
    ['a client', { authorization: `Bearer ${CLIENT}` }, 401],
    ['a guess', { authorization: 'Bearer operator-has-a-long-tokem' }, 401],
  ])('cannot be %s', async (_who, headers, status) => {
    await using gateway = await hostGateway(configOf({}));
    await using client = await connectClient(gateway.url, 'auto', { token: CLIENT });
    const id = approvalIn(await call(client));
    const answer = await sendHttp(adminUrl(gateway, `/admin/approvals/${id}/approve`), { headers, body: {} });
    expect(answer.status).toBe(status);
    expect(JSON.parse((await operate(gateway, 'show', id, '--json')).stdout).status).toBe('pending');
  });

  it('cannot be the requester with the credentials of an operator', async () => {
    const operators = { alice: { token: 'alice-as-operator-token' } };
    await using gateway = await hostGateway(configOf({ approvals: { operators } }));
    await using client = await connectClient(gateway.url, 'auto', { token: CLIENT });
    const id = approvalIn(await call(client));
    const headers = { authorization: 'Bearer alice-as-operator-token' };
    const answer = await sendHttp(adminUrl(gateway, `/admin/approvals/${id}/approve`), { headers, body: {} });
    expect(answer.status).toBe(403);
  });

  it('is notified by a signed webhook that links to the request', async () => {
    const bodies: { readonly headers: IncomingMessage['headers']; readonly text: string }[] = [];
    const receiver = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      bodies.push({ headers: request.headers, text });
      response.end();
      receiver.emit('received');
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const secret = 'a-webhook-secret-of-length';
    const webhook = { url: `http://127.0.0.1:${port}/hook`, secret };
    try {
      await using gateway = await hostGateway(configOf({ approvals: { webhook, publicUrl: 'https://gate.example' } }));
      await using client = await connectClient(gateway.url, 'auto', { token: CLIENT });
      const received = once(receiver, 'received');
      const id = approvalIn(await call(client));
      await received;
      const [{ headers, text }] = bodies as [(typeof bodies)[number]];
      const expected = createHmac('sha256', secret)
        .update(`${headers['x-mcp-aql-timestamp']}.${headers['x-mcp-aql-delivery']}.${text}`)
        .digest('hex');
      expect(headers['x-mcp-aql-signature']).toBe(`sha256=${expected}`);
      expect(JSON.parse(text)).toMatchObject({
        type: 'approval.requested',
        approval: { id, parameters: PARAMS },
        links: { page: `https://gate.example/ui/approvals/${id}` },
      });
      expect(text).not.toContain('conf_');
    } finally {
      receiver.close();
    }
  });
});

describe('where neither a user nor an operator can be asked', () => {
  it('a call that needs a person is refused', async () => {
    await using gateway = await hostGateway(configOf({ approvals: { operator: false, operators: {} } }));
    await using client = await connectClient(gateway.url, 'auto', { token: CLIENT });
    const before = upstream.calls.length;
    const { error } = await call(client);
    expect(error?.code).toBe('PERMISSION_DENIED');
    expect(error?.message).toContain('no way to ask one');
    expect(upstream.calls).toHaveLength(before);
  });
});
