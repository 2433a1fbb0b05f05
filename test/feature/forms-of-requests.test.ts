import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { type HostedGateway, hostGateway } from '../support/hosted-gateway.js';
import { initializeMessage, MODERN_META, modernHeaders, sendHttp } from '../support/raw-http.js';
import { startToolServer, textBlocks } from '../support/tool-server.js';
import { startTraceReceiver, type TraceReceiver } from '../support/trace-receiver.js';

/** One call, in one of the forms that MCP has for it. */
interface Form {
  readonly front: 'http' | 'stdio';
  readonly era: 'legacy' | 'modern';
  readonly args: keyof typeof ARGUMENTS;
  readonly logLevel: boolean;
  /** Members of a request that brings an answer to a question. */
  readonly retry: 'none' | 'answers' | 'state' | 'both';
  readonly progressToken: 'none' | 'number' | 'text' | 'within the arguments';
  readonly inBatch: boolean;
  readonly traceparent: 'header' | 'meta';
  readonly readsStreams: boolean;
}

const TOOL = 'mcp_aql_read';
const ARGUMENTS = {
  right: { operation: 'read_note', params: {} },
  wrong: { operation: 'read_note', params: { wrong: 1 } },
  'no object': 'x',
} as const;
/** What each gives, in every form. */
const OUTCOMES = {
  right: { code: 'OK', operation: 'read_note' },
  wrong: { code: 'VALIDATION_UNKNOWN_PARAM', operation: 'read_note' },
  'no object': { code: 'VALIDATION_INVALID_TYPE' },
} as const;
const TOKEN = 'a-token-of-the-client';
const PARENT = '00f067aa0ba902b7';

const forms: fc.Arbitrary<Form> = fc.record({
  front: fc.constantFrom('http', 'stdio'),
  era: fc.constantFrom('legacy', 'modern'),
  args: fc.constantFrom('right', 'wrong', 'no object'),
  logLevel: fc.boolean(),
  retry: fc.constantFrom('none', 'answers', 'state', 'both'),
  progressToken: fc.constantFrom('none', 'number', 'text', 'within the arguments'),
  inBatch: fc.boolean(),
  traceparent: fc.constantFrom('header', 'meta'),
  readsStreams: fc.boolean(),
});

/** Of its revision, and of its transport. */
const isPossible = ({ front, era, logLevel, retry, inBatch, traceparent }: Form): boolean =>
  (era === 'modern' ? !inBatch : !logLevel && retry === 'none') && (front === 'http' || traceparent === 'meta');

let gateway: HostedGateway;
let receiver: TraceReceiver;
let folder: string;
let session: Record<string, string>;
const stdio = { input: new PassThrough(), output: new PassThrough() };
const lines = createInterface({ input: stdio.output })[Symbol.asyncIterator]();

/** What was sent, by the id of its trace. */
const sent = new Map<string, { readonly form: Form; readonly answer: JsonObject }>();

async function send(form: Form): Promise<void> {
  const trace = randomBytes(16).toString('hex');
  const traceparent = `00-${trace}-${PARENT}-01`;
  const message = toMessage(form, sent.size + 10, traceparent);
  const answer =
    form.front === 'http' ? await sendOverHttp(form, message, traceparent) : await sendOverStdio(form, message);
  sent.set(trace, { form, answer });
}

function toMessage({ args, era, logLevel, retry, progressToken, traceparent }: Form, id: number, trace: string) {
  const token = { none: {}, number: { progressToken: 7 }, text: { progressToken: 't' }, 'within the arguments': {} };
  const given = ARGUMENTS[args];
  const inner = progressToken === 'within the arguments' && typeof given === 'object';
  const meta = {
    ...(era === 'modern' && MODERN_META),
    ...(logLevel && { 'io.modelcontextprotocol/logLevel': 'debug' }),
    ...token[progressToken],
    ...(traceparent === 'meta' && { traceparent: trace }),
  };
  const params = {
    name: TOOL,
    arguments: inner ? { ...given, _meta: { progressToken: 9 } } : given,
    ...((retry === 'answers' || retry === 'both') && { inputResponses: { unheard_of: { action: 'accept' } } }),
    ...((retry === 'state' || retry === 'both') && { requestState: 'of-nobody' }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

async function sendOverHttp({ era, inBatch, traceparent, readsStreams }: Form, message: JsonObject, trace: string) {
  const { text } = await sendHttp(gateway.url, {
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...(era === 'modern' ? modernHeaders('tools/call', TOOL) : session),
      ...(traceparent === 'header' && { traceparent: trace }),
      accept: readsStreams ? 'application/json, text/event-stream' : 'application/json',
    },
    body: inBatch ? [message] : message,
  });
  return only(JSON.parse(text.split('data: ').at(-1) ?? ''));
}

async function sendOverStdio({ inBatch }: Form, message: JsonObject): Promise<JsonObject> {
  stdio.input.write(`${JSON.stringify(inBatch ? [message] : message)}\n`);
  return only(JSON.parse((await lines.next()).value));
}

const only = (answer: JsonObject | readonly JsonObject[]): JsonObject =>
  Array.isArray(answer) ? answer[0] : (answer as JsonObject);

beforeAll(async () => {
  receiver = await startTraceReceiver();
  folder = await mkdtemp(join(tmpdir(), 'forms-'));
  await using upstream = await startToolServer([{ name: 'read_note', answer: () => textBlocks('a note') }]);
  gateway = await hostGateway({
    clients: { team: { token: TOKEN } },
    log: { access: join(folder, 'access.log') },
    tracing: { enabled: true, endpoint: receiver.url },
    mcpServers: { notes: { url: upstream.url } },
  });
  const authorization = `Bearer ${TOKEN}`;
  const { headers } = await sendHttp(gateway.url, { headers: { authorization }, body: initializeMessage() });
  session = { 'mcp-session-id': String(headers['mcp-session-id']) };
  gateway.serveStdio(stdio.input, stdio.output);
  const wanted = fc.sample(forms.filter(isPossible), { numRuns: 100, seed: Number(process.env['PROPERTY_SEED'] ?? 7) });
  // A connection over stdio is of one era, which its first request says.
  const ofStdio = wanted.filter(({ front, era }) => front === 'http' || era === 'modern');
  const inOrder = [...wanted.filter(({ front, era }) => front === 'stdio' && era === 'legacy'), ...ofStdio];
  for (const form of inOrder) await send(form);
  stdio.input.end();
  await gateway[Symbol.asyncDispose]();
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

it('a call has the same answer in every form', () => {
  for (const { form, answer } of sent.values()) {
    const { content } = answer['result'] as { content: readonly [{ text: string }] };
    const { error } = JSON.parse(content[0].text) as { error?: { code: string } };
    expect([form, error?.code ?? 'OK']).toEqual([form, OUTCOMES[form.args].code]);
  }
});

it('a call has the same line in the access log in every form', async () => {
  const text = await readFile(join(folder, 'access.log'), 'utf8');
  const calls = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject)
    .filter(({ mcpMethod }) => mcpMethod === 'tools/call');
  const overHttp = [...sent].filter(([, { form }]) => form.front === 'http');
  expect(overHttp.length).toBeGreaterThan(30);
  expect(calls.length).toBe(overHttp.length);
  const sessions = new Map<string, unknown>();
  for (const [at, [requestId, { form }]] of overHttp.entries()) {
    const known = sessions.get(form.era) ?? calls[at]?.['session'];
    sessions.set(form.era, known);
    const { session: said, client, code, operation, requestId: id } = calls[at] ?? {};
    const expected = { session: known, client: 'team', requestId, operation: undefined, ...OUTCOMES[form.args] };
    expect({ form, session: said, client, code, operation, requestId: id }).toEqual({ form, ...expected });
  }
  expect([...sessions.values()]).toEqual([expect.any(String), expect.any(String)]);
});

it("a call's span is the child of its client's in every form", () => {
  const spans = new Map(receiver.spans.map((span) => [`${span.traceId} ${span.name}`, span]));
  for (const [trace, { form }] of sent) {
    const { parentSpanId, attributes } = spans.get(`${trace} tools/call ${TOOL}`) ?? {};
    const code = attributes?.['mcp_aql.code'];
    // What names no operation is refused before there is a call to trace.
    const expected = form.args === 'no object' ? [undefined, undefined] : [PARENT, OUTCOMES[form.args].code];
    expect([form, parentSpanId, code]).toEqual([form, ...expected]);
  }
});
