import { afterAll, beforeAll, expect, it } from 'vitest';
import { inlineServer } from '../support/inline-server.js';
import { type LeanCall, leanCaller } from '../support/lean-client.js';
import { eachNth } from '../support/nightly.js';
import { minutes } from '../support/patience.js';
import { MODERN_META, modernHeaders, sendHttp } from '../support/raw-http.js';
import { type ServedGateway, serveGateway } from '../support/served-gateway.js';

const HEAP_MB = 256;
const MB = 1_048_576;

/** What takes most memory for its bytes, and what takes least. */
const FORMS = {
  objects: (bytes: number) => `[${'{},'.repeat(bytes / 3)}{}]`,
  text: (bytes: number) => JSON.stringify('x'.repeat(bytes)),
};
const SIZES = [MB, 10 * MB, 100 * MB];

const READS = '{ annotations: { readOnlyHint: true } }';
const NOTES = inlineServer(`{
  get_note: { tool: ${READS}, run: () => ({ content: [{ type: 'text', text: '"a note"' }] }) },
  get_bytes: { tool: { ...${READS}, inputSchema: { type: 'object', properties: { form: { type: 'string' }, bytes: { type: 'number' } } } },
    run: ({ form, bytes }) => {
      const [start, item, end] = { objects: ['[', '{},', '{}]'], text: ['"', 'xxx', '"'], warnings: ['{"warnings":[', '{},', '{}]}'] }[form];
      return { content: [{ type: 'text', text: start + item.repeat(bytes / 3) + end }] };
    } },
}`);

let gateway: ServedGateway;
let call: LeanCall;

beforeAll(async () => {
  const programs = { enabled: true, maxPerClient: 8, maxAnswerBytes: 100 * MB };
  gateway = await serveGateway(
    { programs, mcpServers: { notes: NOTES } },
    { nodeArgs: [`--max-old-space-size=${HEAP_MB}`] },
  );
  call = leanCaller(gateway.url);
});

afterAll(() => gateway?.[Symbol.asyncDispose]());

/** The same process answers as before. */
async function requireAlive(): Promise<void> {
  expect(await call('mcp_aql_read', 'get_note')).toMatchObject({ success: true });
  expect(gateway.process.exitCode).toBeNull();
}

const run = (code: string) => call('mcp_aql_execute', 'run_program', { code });

it.each(
  eachNth(2, [
    'const big = Array(330_000).fill({}); for (let i = 0; i < 25; i++) aql.read("get_note", { id: big }).catch(() => 0);',
    'const big = Array(40).fill(Array(1_200).fill({})); for (let i = 0; i < 200; i++) aql.read("get_note", { id: big }).catch(() => 0);',
    'const big = "x".repeat(1_000_000); for (let i = 0; i < 400; i++) aql.call("delete_none", { id: big }).catch(() => 0);',
    'const big = "x".repeat(1_000_000); await Promise.allSettled(Array.from({ length: 400 }, () => aql.read("get_note", { id: big })));',
    'for (const bytes of [1e6, 1e7, 1e8]) await aql.read("get_note", { id: "x".repeat(bytes) }).catch(() => 0);',
    'const big = Array(330_000).fill({}); console.log(big); throw big;',
  ]),
)('outlives a program whose calls are as large as it can make them: %s', async (code) => {
  // What takes long is answered as a stream.
  await Promise.all([1, 2].map(() => run(`${code} return 1;`).catch(() => undefined)));
  await requireAlive();
});

it('tells a program that a call is larger than a request may be', async () => {
  const answer = await run(
    'return await aql.read("get_note", { id: Array(330_000).fill({}) }).catch(({ code }) => code);',
  );
  expect(answer).toMatchObject({ success: true, data: { result: 'VALIDATION_PAYLOAD_TOO_LARGE' } });
});

it.each(
  eachNth(2, [
    ...SIZES.map((bytes) => [bytes, 'objects'] as const),
    [10 * MB, 'text'] as const,
    [MB, 'warnings'] as const,
  ]),
)(
  'outlives an answer of %i bytes of %s, to a caller and to a program',
  async (bytes, form) => {
    const params = { form, bytes };
    await Promise.all([
      // An answer that takes long comes as a stream.
      call('mcp_aql_read', 'get_bytes', params).catch(() => undefined),
      run(`return await aql.read("get_bytes", ${JSON.stringify(params)}).then(() => 1, ({ code }) => code);`).catch(
        () => undefined,
      ),
    ]);
    await requireAlive();
  },
  minutes(3),
);

it.each(eachNth(2, [...SIZES.map((bytes) => [bytes, 'objects'] as const), [10 * MB, 'text'] as const]))(
  'outlives a message of %i bytes of %s',
  async (bytes, form) => {
    const value = FORMS[form](bytes);
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mcp_aql_read","arguments":{"operation":"get_note","params":{"id":${value}}},"_meta":${JSON.stringify(MODERN_META)}}}`;
    const headers = { 'content-type': 'application/json', ...modernHeaders('tools/call', 'mcp_aql_read') };
    // A body that is too long may be refused before it is sent to its end.
    await sendHttp(gateway.url, { method: 'POST', headers, body }).catch(() => undefined);
    await requireAlive();
  },
);
