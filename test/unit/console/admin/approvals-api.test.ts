import { afterEach, describe, expect, it } from 'vitest';
import type { Observation } from '../../../../src/base/observe/observation.js';
import type { ApprovalService } from '../../../../src/base/protocol/approval.js';
import { hashToken } from '../../../../src/config/load/build-access.js';
import { mountPages } from '../../../../src/console/mount.js';
import { type HttpGatewayServer, openHttpServer } from '../../../../src/server/http/http-server.js';
import { anApproval, createFakeApprovals, type FakeApprovals } from '../../../support/fake-approvals.js';
import { createFakeGateway, type FakeGatewayOptions } from '../../../support/fake-gateway.js';
import { type RawRequest, sendHttp } from '../../../support/raw-http.js';
import { SERVER_INFO } from '../../../support/server-clients.js';

const OPERATORS = [
  { name: 'alice', keys: [{ hash: hashToken('alice-token-0123456789') }] },
  { name: 'bob', keys: [{ hash: hashToken('bob-token-9876543210') }] },
];
const alice = { authorization: 'Bearer alice-token-0123456789' };

const decided = { by: 'bob', at: '2026-11-02T10:05:00.000Z', reason: null };
const APPROVALS = [
  anApproval(),
  anApproval({ id: 'done', status: 'approved', decision: decided }),
  anApproval({ id: 'late', status: 'expired' }),
  anApproval({ id: 'own' }),
];

let server: HttpGatewayServer;
let observations: Observation[];
let service: FakeApprovals;

async function open(more: FakeGatewayOptions = {}) {
  observations = [];
  service = createFakeApprovals(APPROVALS, { done: 'decided', late: 'expired', own: 'own-request' });
  const gateway = createFakeGateway({ operators: OPERATORS, approvals: service, ...more });
  const observe = (observation: Observation) => void observations.push(observation);
  server = await openHttpServer(gateway, { observe, serverInfo: SERVER_INFO, mount: mountPages });
  const base = server.url.replace('/mcp', '');
  return {
    get: (path: string, headers: Record<string, string> = alice) =>
      sendHttp(`${base}${path}`, { method: 'GET', headers }),
    post: (path: string, body?: RawRequest['body'], headers: Record<string, string> = alice) =>
      sendHttp(`${base}${path}`, { method: 'POST', headers, ...(body === undefined ? {} : { body }) }),
  };
}

afterEach(() => server.close());

describe('GET /admin/approvals', () => {
  it('lists approvals without their parameters, all or those of one status', async () => {
    const { get } = await open();
    const { status, json, headers } = await get('/admin/approvals');
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    const summaries = APPROVALS.map(({ parameters: _parameters, ...summary }) => summary);
    expect(json).toEqual({ approvals: summaries, total: 4, next: null });
    const pending = await get('/admin/approvals?status=pending');
    expect(pending.json.approvals.map(({ id }: { id: string }) => id)).toEqual(['a1b2c3', 'own']);
  });

  it('lists them by pages', async () => {
    const { get } = await open();
    const first = await get('/admin/approvals?first=3');
    expect(first.json).toMatchObject({
      approvals: [{ id: 'a1b2c3' }, { id: 'done' }, { id: 'late' }],
      total: 4,
      next: 'late',
    });
    expect((await get('/admin/approvals?first=3&after=late')).json).toMatchObject({
      approvals: [{ id: 'own' }],
      next: null,
    });
    expect((await get('/admin/approvals?first=500')).json.error.message).toContain("'first' must be from 1 to 200");
  });

  it.each(['open', '', 'pending&status=denied'])('names the statuses for %j', async (value) => {
    const { get } = await open();
    const { status, json } = await get(`/admin/approvals?status=${value}`);
    expect([status, json.error.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(json.error.message).toContain('pending, approved, denied, expired');
  });

  it('shows one approval, and says how to list the others when there is none with the id', async () => {
    const { get } = await open();
    expect((await get('/admin/approvals/done')).json).toEqual({ ...APPROVALS[1], digest: expect.any(String) });
    const { status, json, headers } = await get('/admin/approvals/nothing');
    expect([status, json.error.code, headers['cache-control']]).toEqual([404, 'APPROVAL_NOT_FOUND', 'no-store']);
    expect(json.error.message).toContain("'nothing'");
  });
});

describe('POST /admin/approvals/:id', () => {
  it.each([
    ['approve', 'approved', { reason: ' agreed ' }, 'agreed'],
    ['deny', 'denied', { reason: 'not today' }, 'not today'],
    ['approve', 'approved', {}, undefined],
    ['deny', 'denied', { reason: '' }, undefined],
    ['deny', 'denied', undefined, undefined],
  ])('lets an operator %s a request', async (verb, verdict, body, reason) => {
    const { post } = await open();
    const { status, json } = await post(`/admin/approvals/a1b2c3/${verb}`, body);
    expect([status, json.status, json.decision.by]).toEqual([200, verdict, 'alice']);
    expect(service.decisions).toEqual([{ id: 'a1b2c3', verdict, by: { name: 'alice', way: 'http' }, reason }]);
  });

  it.each([
    ['nothing', 404, 'APPROVAL_NOT_FOUND', "'nothing'"],
    ['done', 409, 'APPROVAL_DECIDED', "already approved by 'bob' at '2026-11-02T10:05:00.000Z'"],
    ['late', 410, 'APPROVAL_EXPIRED', "expired at '2026-11-02T10:15:00.000Z'"],
    ['own', 403, 'APPROVAL_OWN_REQUEST', 'Another operator'],
  ])('refuses to decide the approval %j with %d', async (id, status, code, words) => {
    const { post } = await open();
    const answer = await post(`/admin/approvals/${id}/approve`, {});
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    expect(answer.json.error.message).toContain(words);
  });

  it.each([
    ['no JSON', '{"reason":', 'not a JSON object'],
    ['a list', '["agreed"]', 'not a JSON object'],
    ['a reason that is not a string', '{"reason": 5}', "'reason' is not a string"],
    ['other members', '{"comment":"x","why":"y"}', "'comment', 'why'"],
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0x7d]), 'not a JSON object'],
  ])('refuses %s and shows what it expects', async (_case, body, words) => {
    const { post } = await open();
    const { status, json } = await post('/admin/approvals/a1b2c3/approve', body);
    expect([status, json.error.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(json.error.message).toContain(words);
    expect(json.error.message).toContain('{"reason":');
    expect(service.decisions).toEqual([]);
  });

  it('takes a decision about what was read, and refuses it about anything else', async () => {
    const { get, post } = await open();
    const wrong = await post('/admin/approvals/a1b2c3/approve', { digest: 'another' });
    expect([wrong.status, wrong.json.error.code]).toEqual([409, 'APPROVAL_CHANGED']);
    expect(service.decisions).toEqual([]);
    const { digest } = (await get('/admin/approvals/a1b2c3')).json;
    expect((await post('/admin/approvals/a1b2c3/approve', { digest })).status).toBe(200);
  });

  it('refuses a body of more than 16 kB', async () => {
    const { post } = await open();
    const sized = (bytes: number) => `{"reason":"${'x'.repeat(bytes - 13)}"}`;
    expect((await post('/admin/approvals/a1b2c3/deny', sized(16 * 1024 + 1))).status).toBe(413);
    expect((await post('/admin/approvals/a1b2c3/deny', sized(2_000_000))).json.error.code).toBe('BODY_TOO_LARGE');
    expect(service.decisions).toEqual([]);
    expect((await post('/admin/approvals/a1b2c3/deny', sized(16 * 1024))).status).toBe(200);
  });

  it('does not decide by GET', async () => {
    const { get } = await open();
    expect((await get('/admin/approvals/a1b2c3/approve')).status).toBe(404);
    expect(service.decisions).toEqual([]);
  });
});

describe('the approvals API', () => {
  const paths = ['/admin/approvals', '/admin/approvals/a1b2c3'];

  it.each([
    ['no token', {}],
    ['a wrong token', { authorization: 'Bearer wrong' }],
    ["an operator's name", { authorization: 'Bearer alice' }],
  ])('refuses a request with %s', async (_case, headers) => {
    const { get, post } = await open();
    const answers = [...paths.map((path) => get(path, headers)), post(`${paths[1]}/approve`, {}, headers)];
    for (const { status, headers: sent, json } of await Promise.all(answers)) {
      expect([status, sent['www-authenticate'], sent['cache-control']]).toEqual([401, 'Bearer', 'no-store']);
      expect(json.error.code).toBe('UNAUTHORIZED');
      expect(json.error.message).not.toMatch(/alice|bob/);
    }
    expect(service.decisions).toEqual([]);
  });

  it("refuses MCP clients' tokens, as /mcp refuses operators'", async () => {
    const clients = [{ name: 'ci', token: 'ci-token' }];
    const { get, post } = await open({ operators: OPERATORS, clients });
    expect((await get('/admin/approvals', { authorization: 'Bearer ci-token' })).status).toBe(401);
    expect((await post('/mcp', {}, alice)).status).toBe(401);
  });

  it('refuses wrong tokens of an address for a minute after twenty, and lets the right one through', async () => {
    const { get } = await open();
    const guess = () => get('/admin/approvals', { authorization: 'Bearer guess' });
    for (let count = 0; count < 20; count += 1) expect((await guess()).status).toBe(401);
    expect((await get('/admin/approvals')).status).toBe(200);
    const { status, json, headers } = await guess();
    expect([status, json.error.code]).toEqual([429, 'TOO_MANY_ATTEMPTS']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(observations.filter(({ kind }) => kind === 'notice')).toHaveLength(1);
  });

  it('does not count requests without a token as wrong ones', async () => {
    const { get } = await open();
    for (let count = 0; count < 25; count += 1) expect((await get('/admin/approvals', {})).status).toBe(401);
    expect((await get('/admin/approvals')).status).toBe(200);
  });

  it.each([
    ['host', { host: 'evil.example' }],
    ['origin', { origin: 'https://evil.example' }],
  ])('refuses a foreign %s', async (_case, headers) => {
    const { get } = await open();
    for (const path of [...paths, '/ui/approvals'])
      expect((await get(path, { ...alice, ...headers })).status).toBe(403);
  });

  it.each([
    ['no operator', { operators: [] }],
    ['no approval service', { approvals: undefined }],
  ])('does not exist with %s', async (_case, options) => {
    const { get } = await open(options as FakeGatewayOptions);
    for (const path of paths) expect((await get(path)).status).toBe(404);
  });

  it('reports only to the log why the approval service failed', async () => {
    const approvals: ApprovalService = {
      ...createFakeApprovals([]),
      list: () => Promise.reject(new Error('secret path')),
    };
    const { get } = await open({ approvals });
    const { status, json, text } = await get('/admin/approvals');
    expect([status, json.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(text).not.toContain('secret');
    expect(observations).toMatchObject([{ kind: 'defect', where: '/admin/approvals' }]);
  });

  it('answers a malformed request with 400 and reports no defect', async () => {
    const { post } = await open();
    const { status, json } = await post('/admin/approvals/a1b2c3/deny', '{}', { ...alice, 'content-type': 'nonsense' });
    expect([status, json.error.code]).toEqual([415, 'INVALID_REQUEST']);
    const encoded = await post('/admin/approvals/a1b2c3/deny', '{}', { ...alice, 'content-encoding': 'gzip' });
    expect([encoded.status, encoded.json.error.code]).toEqual([415, 'INVALID_REQUEST']);
    expect(observations).toEqual([]);
  });
});
