import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { inlineServer } from '../support/inline-server.js';
import { connectClient } from '../support/mcp-client.js';

const HARD_STOP = 6_000;
const EXHAUSTED = 'RATE_LIMIT_QUOTA_EXHAUSTED';

const NOTES = inlineServer(`{
  get_big: { tool: { annotations: { readOnlyHint: true } },
    run: () => ({ content: [{ type: 'text', text: JSON.stringify({ text: 'a few words '.repeat(1_000) }) }] }) },
  create_note: { tool: { inputSchema: { type: 'object', properties: { title: { type: 'string' } } } },
    run: () => ({ content: [{ type: 'text', text: '{"created":true}' }] }) },
}`);

async function open(limit: JsonObject, more: JsonObject = {}) {
  const gateway = await hostGateway({
    programs: { enabled: true },
    executions: { enabled: true },
    mcpServers: { notes: NOTES },
    quotas: { limits: [{ name: 'words', metric: 'tokens_per_day', hard_stop: HARD_STOP, ...limit }] },
    ...more,
  });
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  const client = await connectClient(gateway.url);
  onTestFinished(() => client[Symbol.asyncDispose]());
  const run = (code: string, params: JsonObject = {}) =>
    client.call('mcp_aql_execute', 'run_program', { ...(code === '' ? {} : { code }), ...params });
  const counted = async (): Promise<number> =>
    (await client.introspect({ query: 'quota_status' })).data.quotas[0].current;
  return { client, run, counted };
}

describe('the tokens that programs deliver', () => {
  it.each([
    ['one operation', { match: { operation: 'get_big' } }],
    ['one server', { match: { upstream: 'notes' } }],
    ['everything', {}],
  ])('count for the operations that they called, and end with a budget of %s', async (_what, limit) => {
    const { run } = await open(limit);
    let characters = 0;
    for (let count = 0; count < 20; count += 1) {
      const { data } = await run(
        'return (await aql.read("get_big").catch(({ code }) => ({ text: code }))).text.match(/.{1,100}/g);',
      );
      if (data.result[0] === EXHAUSTED) break;
      characters += JSON.stringify(data).length;
    }
    expect(characters / 4).toBeGreaterThan(HARD_STOP / 2);
    expect(characters / 4).toBeLessThan(HARD_STOP + 4_000);
  });

  it('count where it throws them, too', async () => {
    const { run, counted } = await open({ match: { operation: 'get_big' } });
    await run('const { text } = await aql.read("get_big"); throw new Error(text);');
    expect(await counted()).toBeGreaterThan(3_000);
  });

  it('count for what was read before a confirmation, when it goes on', async () => {
    const policy = { rules: [{ match: { operation: 'create_note' }, decision: 'confirm' }] };
    const { run, counted } = await open({ match: { operation: 'get_big' } }, { policy });
    const stopped = await run(
      'const { text } = await aql.read("get_big"); await aql.create("create_note", { title: "x" }); return text;',
    );
    expect(stopped.error?.code).toBe('CONFIRMATION_REQUIRED');
    await run('', { program_token: stopped.error?.details?.['program_token'] });
    expect(await counted()).toBeGreaterThan(2_500);
  });

  it('are as few as it returns, whatever its calls have got', async () => {
    const { run, counted } = await open({ match: { operation: 'get_big' } });
    await run('return (await aql.read("get_big")).text.length;');
    expect(await counted()).toBeLessThan(100);
  });
});

describe('a call within a program', () => {
  it('does not go on in the background, and reaches no execution', async () => {
    const { run } = await open({});
    const { data } = await run(`
      const codeOf = ({ code, message }) => [code, message];
      return [
        await aql.read("get_big", { _execution: { background: true } }).catch(codeOf),
        ...await Promise.all([["get_execution_status", { execution_id: "x" }], ["list_executions", {}], ["cancel_execution", { execution_id: "x" }], ["retry_execution", { execution_id: "x" }]]
          .map(([name, params]) => aql.call(name, params).catch(codeOf))),
      ].map(([code]) => code);`);
    expect(data.result).toEqual([
      'VALIDATION_INVALID_VALUE',
      'PERMISSION_DENIED',
      'PERMISSION_DENIED',
      'PERMISSION_DENIED',
      'PERMISSION_DENIED',
    ]);
  });
});
