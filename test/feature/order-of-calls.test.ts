import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';

/** Each call answers with how many were under way at once: a listing after some turns, a query when three are. */
const HARBOUR = inlineServer(`(() => {
  let running = 0;
  let all;
  const three = new Promise((resolve) => { all = resolve; });
  const during = async (work) => {
    running += 1;
    let most = running;
    for (let turn = 0; turn < 50; turn += 1) {
      await new Promise(setImmediate);
      most = Math.max(most, running);
    }
    await work?.();
    running -= 1;
    return { content: [{ type: 'text', text: JSON.stringify({ most }) }] };
  };
  const open = { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: true };
  return {
    list_boats: { tool: { description: 'Lists boats.', inputSchema: open }, run: () => during() },
    query_db: {
      tool: {
        description: 'Runs SQL on PostgreSQL',
        inputSchema: { type: 'object', properties: { sql: { type: 'string' } }, required: ['sql'] },
      },
      run: () => {
        const done = during(() => three);
        if (running === 3) all();
        return done;
      },
    },
  };
})()`);

const LISTING = { operation: 'list_boats', params: {} };
const SINKING = { operation: 'list_boats', params: { batch: ['DELETE FROM boats'] } };
const SELECTING = { operation: 'query_db', params: { sql: 'SELECT name FROM boats' } };

const ORDERS: readonly (readonly [what: string, calls: readonly JsonObject[], most: number])[] = [
  ['what a listing carries that writes runs alone', [LISTING, SINKING, LISTING], 1],
  ['statements that are proven to read run beside each other', [SELECTING, SELECTING, SELECTING], 3],
];

interface Results {
  readonly results: readonly { readonly result: { readonly data: { readonly most: number } } }[];
}

async function open() {
  const gateway = await hostGateway({
    endpoint: { mode: 'single' },
    programs: { enabled: true },
    mcpServers: { harbour: { ...HARBOUR, maxConcurrency: 8 } },
    policy: { rules: [{ name: 'all', match: { danger: ['destructive'] }, decision: 'allow' }] },
  });
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  const client = await connectClient(gateway.url);
  onTestFinished(() => client[Symbol.asyncDispose]());
  return client;
}

const mostOf = (answers: readonly { readonly most: number }[]): number => Math.max(...answers.map(({ most }) => most));

describe('the order of calls is that of what they send', () => {
  it.each(ORDERS)('in a batch: %s', async (_what, operations, most) => {
    const client = await open();
    const answer = (await client.callTool('mcp_aql', { operations })) as unknown as Results;
    expect(mostOf(answer.results.map(({ result }) => result.data))).toBe(most);
  });

  it('in a batch: what a reference brings is not known, so it runs alone', async () => {
    const client = await open();
    const told = { operation: 'list_boats', params: { batch: ['$results[0].data.sql'] } };
    const told0 = { operation: 'list_boats', params: { sql: 'a boat' } };
    const answer = (await client.callTool('mcp_aql', { operations: [told0, LISTING, told, LISTING] })) as unknown;
    const { results } = answer as {
      readonly results: readonly { readonly result: { readonly data?: { most: number } } }[];
    };
    expect(results[3]?.result.data).toEqual({ most: 1 });
  });

  it.each(ORDERS)('in a program: %s', async (_what, calls, most) => {
    const client = await open();
    const code = `return await Promise.all(${JSON.stringify(calls)}.map((each) => aql.call(each)))`;
    const { data } = await client.call('mcp_aql', 'run_program', { code });
    expect(mostOf(data.result)).toBe(most);
  });
});
