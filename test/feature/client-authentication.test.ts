import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import { callMessage, initializeMessage, sendHttp } from '../support/raw-http.js';
import type { ReplayServer } from '../support/replay-server.js';
import { serveGateway } from '../support/served-gateway.js';

const TOKENS = { alice: 'alice-has-a-long-token', bob: 'bob-has-another-token' };

let upstream: ReplayServer;

beforeAll(async () => {
  upstream = await startDangerUpstream();
});

afterAll(() => upstream?.[Symbol.asyncDispose]());

const config = (): object => ({
  clients: { alice: { token: TOKENS.alice }, bob: { token: TOKENS.bob } },
  policy: { rules: [{ match: { client: 'bob', operation: 'do_safe' }, decision: 'deny', reason: 'bob looks on' }] },
  mcpServers: { demo: dangerEntry(upstream) },
});

const destroy = (who: McpClient, more: object = {}): Promise<Answer> =>
  who.call(EXECUTE, 'do_destructive', { path: '/a', ...more });
const codeOf = ({ success, error }: Answer): string => (success ? 'OK' : (error?.code ?? ''));
const tokenIn = ({ error }: Answer): string => String(error?.details?.['confirmation_token']);

describe('a gateway whose clients have tokens', () => {
  it('serves a client with its token, answers others with 401 and logs no token', async () => {
    await using gateway = await serveGateway(config());
    await using alice = await connectClient(gateway.url, 'legacy', { token: TOKENS.alice });
    expect(codeOf(await alice.call(EXECUTE, 'do_safe'))).toBe('OK');
    await expect(connectClient(gateway.url)).rejects.toThrow();
    await expect(connectClient(gateway.url, 'legacy', { token: 'a-wrong-token' })).rejects.toThrow();
    const { status, headers } = await sendHttp(gateway.url, { body: initializeMessage() });
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
    await gateway.logged('without a valid token');
    expect(gateway.stderr()).not.toMatch(/a-wrong-token|alice-has-a-long-token/);
  });

  it('applies rules to the authenticated client', async () => {
    await using gateway = await serveGateway(config());
    await using alice = await connectClient(gateway.url, 'auto', { token: TOKENS.alice });
    await using bob = await connectClient(gateway.url, 'auto', { token: TOKENS.bob });
    expect(codeOf(await alice.call(EXECUTE, 'do_safe'))).toBe('OK');
    const { error } = await bob.call(EXECUTE, 'do_safe');
    expect([error?.code, error?.message]).toEqual(['PERMISSION_DENIED', expect.stringContaining('bob looks on')]);
  });

  it("does not let one client use another client's session", async () => {
    await using gateway = await serveGateway(config());
    const as = (token: string, more: object = {}) => ({ authorization: `Bearer ${token}`, ...more });
    const opened = await sendHttp(gateway.url, { headers: as(TOKENS.alice), body: initializeMessage() });
    const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const call = (token: string) => sendHttp(gateway.url, { headers: as(token, session), body: callMessage(1) });
    expect([(await call(TOKENS.bob)).status, (await call(TOKENS.alice)).status]).toEqual([404, 200]);
  });

  it("does not let one client use another client's confirmation", async () => {
    await using gateway = await serveGateway(config());
    await using alice = await connectClient(gateway.url, 'auto', { token: TOKENS.alice });
    await using bob = await connectClient(gateway.url, 'auto', { token: TOKENS.bob });
    const before = upstream.calls.length;
    const _confirmation = tokenIn(await destroy(alice));
    expect(codeOf(await destroy(bob, { _confirmation }))).toMatch(/^TOKEN_/);
    expect(upstream.calls).toHaveLength(before);
    expect(codeOf(await destroy(alice, { _confirmation }))).toBe('OK');
  });

  it('keeps the tokens of an authenticated client over a restart, in both eras', async () => {
    await using directory = await makeDirectory();
    const open = () => serveGateway(config(), { directory: directory.path });
    const confirmations = { auto: '', legacy: '' };
    const modes = ['auto', 'legacy'] as const;
    {
      await using gateway = await open();
      for (const mode of modes) {
        await using alice = await connectClient(gateway.url, mode, { token: TOKENS.alice });
        confirmations[mode] = tokenIn(await destroy(alice));
      }
    }
    await using gateway = await open();
    const codes: string[] = [];
    for (const mode of modes) {
      await using alice = await connectClient(gateway.url, mode, { token: TOKENS.alice });
      codes.push(codeOf(await destroy(alice, { _confirmation: confirmations[mode] })));
    }
    expect(codes).toEqual(['OK', 'OK']);
  });
});
