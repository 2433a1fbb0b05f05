import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { ConsoleVisitor } from '../support/console-visitor.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { readJournals } from '../support/read-journals.js';

const TOKEN = 'operator-omar-has-a-long-token';

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await hostGateway({
    policy: { approvals: { operators: { omar: { token: TOKEN } } } },
    audit: { enabled: true, sync: true },
    mcpServers: {},
  });
});

afterAll(() => gateway?.[Symbol.asyncDispose]());

async function signIns(): Promise<readonly JsonObject[]> {
  const records = await readJournals(gateway.directory);
  return records.filter(({ type }) => type === 'sign_in');
}

describe('the record of the console', () => {
  it('has who came and went, by which way and from where, and no token', async () => {
    const omar = new ConsoleVisitor(gateway.url);
    await omar.signIn(TOKEN);
    await omar.submit('audit', 'logout');
    expect((await omar.get('audit')).location).toBe('./login?to=audit');
    const actor = { operator: 'omar', transport: 'http' };
    expect(await signIns()).toMatchObject([
      { event: 'signed_in', way: 'token', address: '127.0.0.1', actor },
      { event: 'signed_out', address: '127.0.0.1', actor },
    ]);
    // The session is over: nobody signs out twice.
    await omar.submit('login', 'logout');
    expect(await signIns()).toHaveLength(2);
  });

  it('has those who failed, until their address has to wait, and never what they sent', async () => {
    const somebody = new ConsoleVisitor(gateway.url);
    const before = (await signIns()).length;
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 30; attempt += 1)
      statuses.push((await somebody.signIn(`a-guessed-token-${attempt}`)).status);
    expect(new Set(statuses)).toEqual(new Set([403, 429]));
    const refused = (await signIns()).slice(before);
    expect(refused).toHaveLength(statuses.filter((status) => status === 403).length);
    expect(refused[0]).toMatchObject({ event: 'refused', way: 'token', reason: 'not the token of an operator' });
    expect(refused[0]).not.toHaveProperty('actor.operator');
    expect(JSON.stringify(refused)).not.toContain('a-guessed-token');
  });
});
