/**
 * Sends random requests to a gateway over HTTP and over stdio for a while, and ends with 1 where an answer breaks a promise:
 * a request is answered, never by 5xx, never with a stack or a class name, and by a valid envelope; numbers come back as they
 * were sent; /healthz answers; the process lives. About two thirds of the calls are made from the schemas that introspection
 * shows, so that they reach the upstream; the rest breaks rules, from the first byte on.
 *
 *   npm run fuzz [-- --seconds N] [--seed N]
 *
 * Equal seeds send equal requests as long as the answers, whose tokens and cursors are sent back, are equal.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { here, REVISION, send, startGateway } from './soak-gateway.mjs';
import { createValidDrawing } from './valid-values.mjs';

const { values: flags } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string', default: `${Date.now() % 2 ** 31}` } },
});
const seconds = Number(flags.seconds);
const seed = Number(flags.seed);

/** How long a request, and /healthz, may take on a busy machine. */
const ANSWER_MS = 30_000;
const HEALTH_MS = 10_000;
const WORKERS = 4;
const MOST_SHOWN = 300;

/** A generator of numbers from 0 to 1 (mulberry32). */
function createRandom(start) {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TOOLS = [
  ['list_rows', { answer: { type: 'string' }, limit: { type: 'integer', minimum: 1, maximum: 100 } }],
  ['get_row', { id: { type: 'string', pattern: '^[a-z]{1,8}$' }, deep: { $ref: '#/$defs/node' } }, ['id']],
  [
    'create_row',
    { title: { type: 'string', minLength: 2 }, tags: { type: 'array', items: { type: 'string' }, uniqueItems: true } },
    ['title'],
  ],
  [
    'update_row',
    { id: { type: 'string' }, title: { type: 'string' }, count: { anyOf: [{ type: 'number' }, { type: 'null' }] } },
    ['id'],
  ],
  ['delete_row', { id: { type: 'string' }, force: { type: 'boolean' } }, ['id']],
  ['run_query', { sql: { type: 'string' } }, ['sql']],
  ['manage_rows', { action: { enum: ['list', 'create', 'delete'] }, id: { type: 'string' } }, ['action']],
].map(([name, properties, required = []]) => ({
  name,
  description: `${name.replace('_', ' ')} of the table`,
  inputSchema: {
    type: 'object',
    properties,
    required,
    $defs: { node: { properties: { next: { $ref: '#/$defs/node' }, kind: { enum: ['a', 'b'] } } } },
  },
}));

/** Without it calls that destroy something end at the confirmation. */
const ALLOW = [{ match: { operation: '*' }, decision: 'allow' }];

const ROWS = JSON.stringify({
  rows: Array.from({ length: 300 }, (_, id) => ({ id, title: `row ${id}`, tags: ['a', `t${id % 7}`], at: null })),
});
const OPERATIONS = [
  ...TOOLS.map(({ name }) => name),
  'list_manage_rows',
  'introspect',
  'query_relationships',
  'hostile__get_row',
  'confirm',
];
const NAMES = [
  'id',
  'title',
  'tags',
  'limit',
  'answer',
  'sql',
  'force',
  'input',
  'params',
  'operation',
  'operations',
  'filter',
  'sort',
  'fields',
  'first',
  'after',
  'page',
  'cursor',
  'query',
  'name',
  'search',
  'token',
  'aggregations',
  'group_by',
  'count',
  'lines',
  'path',
  'include',
  'confirmation_token',
  '_confirmation',
  '_quota_continue',
  '_meta',
  'if_match',
  '__proto__',
  'constructor',
  'toString',
];
const TEXTS = [
  '',
  'a',
  'row 1',
  '../../etc/passwd',
  '$results[0].data',
  '$results[99].data["x"]',
  '$$results[0].data',
  '\u202e\u0000',
  '\ud800',
  '😀',
  'x'.repeat(5_000),
  '%',
  '{"a":1}',
  '[1]',
  '5',
  'true',
  'conf_123',
  'rows.title',
  '-title',
  '_computed.x',
  'DROP TABLE',
  '(a+)+$',
  ROWS,
];
/** Number literals that no double holds as they are written: texts in a drawn value, and numbers in what is sent. */
const LITERALS = {
  '@digits@': '7'.repeat(10_000),
  '@fraction@': `0.${'3'.repeat(10_000)}`,
  '@beyond@': '1e400',
  '@below@': '-1e-400',
  '@exponent@': `1e${'9'.repeat(10_000)}`,
  '@integer@': '9007199254740993',
};
const NUMBERS = [0, 1, -1, 0.1, 1e21, 9007199254740992, -0, 255, 2 ** 53, ...Object.keys(LITERALS)];

const writeJson = (value) => JSON.stringify(value)?.replace(/"(@[a-z]+@)"/g, (text, name) => LITERALS[name] ?? text);
const FORMS = ['operations', 'types', 'result', 'quota_status', 'revoke_token', 'operation'];
const OPERATORS = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'like',
  'contains',
  'starts_with',
  'exists',
  'and',
  'or',
  'not',
  '$gt',
  'regex',
];

/** What is drawn with the numbers of one worker. */
/** @param operations what introspection says of each operation */
function createDrawing(random, operations) {
  const below = (count) => Math.floor(random() * count);
  const oneOf = (list) => list[below(list.length)];
  const chance = (share) => random() < share;
  /** Tokens and cursors of answers, which are sent back. */
  const learned = [];

  const text = () => {
    if (chance(0.2) && learned.length > 0) return oneOf(learned);
    return chance(0.7)
      ? oneOf(TEXTS)
      : Array.from({ length: below(20) }, () => String.fromCharCode(below(0x250))).join('');
  };
  const value = (depth = 0) => {
    const kind = below(depth > 4 ? 5 : 9);
    if (kind < 2) return text();
    if (kind === 2) return oneOf(NUMBERS);
    if (kind === 3) return chance(0.5);
    if (kind === 4) return null;
    if (kind < 7) return Array.from({ length: below(5) }, () => value(depth + 1));
    return object(depth + 1);
  };
  const object = (depth = 0) =>
    Object.fromEntries(Array.from({ length: below(6) }, () => [chance(0.8) ? oneOf(NAMES) : text(), value(depth)]));
  const filter = () =>
    Object.fromEntries(
      Array.from({ length: below(3) + 1 }, () => [
        oneOf(['title', 'id', 'tags', 'at', 'and', 'or', 'not', 'titel']),
        chance(0.7) ? { [oneOf(OPERATORS)]: value(3) } : value(3),
      ]),
    );
  const query = () => ({
    answer: ROWS,
    ...(chance(0.5) && { filter: chance(0.8) ? filter() : value() }),
    ...(chance(0.4) && {
      sort: chance(0.7) ? oneOf(['title', '-id', { field: 'title', direction: 'desc' }, [{ field: 'id' }]]) : value(),
    }),
    ...(chance(0.4) && { fields: chance(0.7) ? ['id', 'titel', 'tags'] : value() }),
    ...(chance(0.4) && { first: chance(0.8) ? below(50) : value() }),
    ...(chance(0.3) && { after: text() }),
    ...(chance(0.3) && {
      aggregations: chance(0.5) ? { n: { function: 'count' }, s: { function: 'sum', field: 'id' } } : value(),
    }),
    ...(chance(0.2) && { group_by: chance(0.7) ? 'tags' : value() }),
  });
  const introspection = () => ({
    query: chance(0.9) ? oneOf(FORMS) : value(),
    ...(chance(0.5) && { name: chance(0.5) ? oneOf(OPERATIONS) : text() }),
    ...object(3),
  });
  const call = () => {
    const operation = chance(0.9) ? oneOf(OPERATIONS) : chance(0.5) ? text() : value();
    const params =
      operation === 'introspect' && chance(0.8)
        ? introspection()
        : operation === 'list_rows' && chance(0.8)
          ? query()
          : chance(0.9)
            ? object()
            : value();
    return chance(0.1) ? { operation, ...object() } : { operation, params };
  };
  const valid = createValidDrawing({ below, oneOf, chance });
  // `below` is of a worker's numbers.
  const validCall = () => valid.call(oneOf(operations));
  const given = () => {
    if (chance(0.7)) return chance(0.9) ? validCall() : { operations: Array.from({ length: 1 + below(5) }, validCall) };
    const kind = below(10);
    if (kind < 7) return call();
    return kind < 9
      ? {
          operations: Array.from({ length: below(8) }, () => (chance(0.9) ? call() : value())),
          ...(chance(0.1) && object()),
        }
      : value();
  };
  /** A call that nothing around it makes invalid. */
  const sound = (id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: {
      name: 'mcp_aql',
      _meta: {
        'io.modelcontextprotocol/protocolVersion': REVISION,
        'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
      arguments: given(),
    },
  });
  const message = (id) => {
    const kind = below(20);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': chance(0.95) ? REVISION : text(),
      'io.modelcontextprotocol/clientInfo': chance(0.95) ? { name: 'fuzz', version: '1' } : value(),
      'io.modelcontextprotocol/clientCapabilities': {},
      ...(chance(0.2) && { progressToken: chance(0.8) ? id : value() }),
    };
    const method =
      kind < 15
        ? 'tools/call'
        : oneOf([
            'tools/list',
            'ping',
            'server/discover',
            'initialize',
            'resources/list',
            'notifications/cancelled',
            text(),
          ]);
    const params =
      kind < 15
        ? { name: chance(0.95) ? 'mcp_aql' : text(), _meta: meta, arguments: given() }
        : { _meta: meta, ...object() };
    return { jsonrpc: chance(0.98) ? '2.0' : value(), id: chance(0.95) ? id : value(), method, params };
  };
  const body = (id) => {
    if (chance(0.8)) {
      const whole = sound(id);
      return { body: writeJson(whole), method: whole.method, name: whole.params.name, call: whole };
    }
    const whole = chance(0.05) ? value() : chance(0.05) ? [message(id), message(id)] : message(id);
    const json = writeJson(whole);
    if (chance(0.95)) return { body: json, method: whole?.method, name: whole?.params?.name };
    const at = below(json.length);
    return { body: chance(0.5) ? json.slice(0, at) : `${json.slice(0, at)}${text()}${json.slice(at)}` };
  };
  const headers = ({ method, name, call }) => {
    if (call !== undefined)
      return {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': REVISION,
        'mcp-method': method,
        'mcp-name': name,
        ...(chance(0.02) && { 'x-long': 'a'.repeat(below(8_000)) }),
      };
    const all = {
      'content-type': chance(0.97) ? 'application/json' : oneOf(['text/plain', 'application/json; charset=latin1', '']),
      accept: chance(0.97) ? 'application/json, text/event-stream' : oneOf(['*/*', 'text/html', 'application/json']),
      ...(chance(0.9) && {
        'mcp-protocol-version': chance(0.95) ? REVISION : oneOf(['2025-06-18', '1999-01-01', 'x']),
      }),
      ...(chance(0.95) && typeof method === 'string' && { 'mcp-method': method }),
      ...(chance(0.95) && typeof name === 'string' && { 'mcp-name': name }),
      ...(chance(0.05) && { 'mcp-session-id': oneOf(['x', 'a'.repeat(300), learned[0] ?? 'y']) }),
      ...(chance(0.03) && { origin: 'http://example.com' }),
    };
    // A header is bytes: what cannot be one is not sent.
    return Object.fromEntries(Object.entries(all).filter(([, one]) => /^[ -~]*$/.test(one)));
  };
  const learn = (answer) => {
    for (const [, one] of answer.matchAll(
      /\\?"(?:endCursor|token|after|handle|cursor|session_id)\\?":\s*\\?"([^"\\]{3,200})/g,
    ))
      learned.push(one);
    if (learned.length > 50) learned.splice(0, learned.length - 50);
  };
  return { below, body, headers, learn, chance, oneOf, sound };
}

/** A line of a stack, or the name of a class of errors. */
const LEAK =
  /\bat (?:async )?[\w.<>]+ \(|\bnode:internal|\/dist\/[\w/-]+\.js|\b(?:Type|Range|Reference|Syntax|Operation|Ajv|Zod)Error\b/;

const problems = [];
/** How often each kind of answer came: that most are refusals for one reason would show that little is tried. */
const outcomes = new Map();
const note = (what, detail) => {
  problems.push(what);
  if (problems.length <= 20) console.log(`${what}\n    ${String(detail).slice(0, MOST_SHOWN)}`);
};

const isJson = (text) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** The messages of an answer: JSON, or the data of server-sent events. */
function messagesIn(answer) {
  const texts = isJson(answer) ? [answer] : [...answer.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => data);
  return texts.map((text) => (isJson(text) ? JSON.parse(text) : undefined));
}

/** How many calls reached the upstream, of how many that were sent: refusals alone try little. */
const reached = { calls: 0, upstream: 0 };

/** What is wrong with the envelope of a call's answer: JSON-RPC, a tool result, and in it MCP-AQL's success or failure. */
function faultOf({ call }, message) {
  if (message?.jsonrpc !== '2.0' || message.id !== call.id) return 'no JSON-RPC answer to the request';
  if (message.error !== undefined)
    return typeof message.error.code === 'number' ? undefined : 'an error without a code';
  const [block, ...rest] = message.result?.content ?? [];
  if (block?.type !== 'text' || !isJson(block.text)) return 'no JSON in the first block';
  const envelope = JSON.parse(block.text);
  const outcomes = Array.isArray(envelope.results) ? envelope.results.map((each) => each.result ?? each) : [envelope];
  for (const outcome of outcomes) {
    if (typeof outcome?.success !== 'boolean') return 'an envelope without success';
    if (outcome.success === (outcome.error !== undefined)) return 'success with an error, or failure without one';
    if (!outcome.success && (typeof outcome.error.code !== 'string' || typeof outcome.error.message !== 'string'))
      return 'a failure without code or message';
  }
  return rest.length > 10 ? 'too many blocks' : undefined;
}

/** The upstream sends the arguments back as they came: a number that is not what was sent has been changed on the way. */
function judgeCall(sent, answer) {
  const message = messagesIn(answer).find((each) => each?.id === sent.call.id);
  const about = `${sent.body.slice(0, 200)} <- ${answer.slice(0, 300)}`;
  const fault = faultOf(sent, message);
  if (fault !== undefined) note(fault, about);
  reached.calls += 1;
  const text = message?.result?.content?.[0]?.text ?? '';
  if (!text.includes('"echo"') && !text.includes('\\"echo\\"')) return;
  reached.upstream += 1;
  const { operation, params } = sent.call.params.arguments ?? {};
  if (typeof operation !== 'string' || !isJson(text)) return;
  const echoed = JSON.parse(text).data?.echo;
  if (echoed === null || typeof echoed !== 'object') return;
  for (const [name, value] of Object.entries({ ...params, ...params?.input })) {
    if (name === 'input' || !(name in echoed)) continue;
    if (JSON.stringify(echoed[name]) !== JSON.stringify(value)) note(`'${name}' was changed`, about);
  }
}

function judge(sent, response, answer) {
  const { status } = response;
  if (sent.call !== undefined) judgeCall(sent, answer);
  const code = /"code\\?":\s*\\?"?(-?[A-Z_0-9]+)/.exec(answer)?.[1] ?? 'no error';
  const outcome = `${status} ${code}`;
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const about = `${status} to ${sent.body.slice(0, 200)} <- ${answer.slice(0, 200)}`;
  if (status >= 500 && !(isJson(answer) && JSON.parse(answer).jsonrpc === '2.0'))
    note('5xx without a JSON-RPC body', about);
  if (status >= 500 && status !== 503) note(`status ${status}`, about);
  const leak = LEAK.exec(answer)?.[0];
  // What was sent may come back.
  if (leak !== undefined && !sent.body.includes(leak)) note(`leaks '${leak}'`, about);
  if (/"code":-32603|Internal error'?$/.test(answer)) note('an internal error', about);
}

async function exchange(url, drawing, id) {
  const sent = drawing.body(id);
  const method =
    sent.call !== undefined || drawing.chance(0.9) ? 'POST' : drawing.oneOf(['GET', 'PUT', 'DELETE', 'OPTIONS']);
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ANSWER_MS);
  try {
    const headers = drawing.headers(sent);
    const init = {
      method,
      headers,
      signal: controller.signal,
      ...(method === 'POST' || method === 'PUT' ? { body: sent.body } : {}),
    };
    const response = await fetch(`${url}/mcp`, init);
    const answers = /event-stream/.test(response.headers.get('content-type') ?? '') && method === 'GET';
    if (answers) return controller.abort();
    const answer = await response.text();
    drawing.learn(answer);
    judge(sent, response, answer);
  } catch (error) {
    note(controller.signal.aborted ? 'no answer' : `connection failed (${error.cause?.code ?? error.name})`, sent.body);
  } finally {
    clearTimeout(timer);
  }
}

async function checkHealth(url) {
  const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(HEALTH_MS) }).catch((error) => error);
  if (response.status !== 200) note('/healthz did not answer', response);
}

/** Sends messages as lines, some of them broken, and notes each call without an answer. */
function startStdio(directory) {
  const args = [here('../../dist/cli/main.js'), '--config', join(directory, 'gateway.config.json'), 'stdio'];
  const gateway = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const waiting = new Map();
  let words = '';
  gateway.stderr.on('data', (chunk) => {
    words = (words + chunk).slice(-20_000);
  });
  gateway.stdin.on('error', () => {});
  createInterface({ input: gateway.stdout }).on('line', (line) => {
    if (!isJson(line)) return note('a line that is no JSON', line);
    const message = JSON.parse(line);
    waiting.get(message.id)?.(line);
    waiting.delete(message.id);
  });
  const answerTo = (id) =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
      waiting.set(id, (line) => {
        clearTimeout(timer);
        resolve(line);
      });
    });
  return {
    gateway,
    words: () => words,
    async exchange(drawing, id) {
      const sent = drawing.body(id);
      if (sent.body.includes('\n')) return;
      gateway.stdin.write(`${sent.body}\n`);
      if (sent.call === undefined) return;
      const answer = await answerTo(id);
      if (answer === undefined) note('no answer over stdio', sent.body);
      else {
        drawing.learn(answer);
        judge(sent, { status: 'stdio' }, answer);
      }
    },
  };
}

/** What introspection says of each operation of the upstream. */
async function introspect(url) {
  const ask = async (params) => {
    const { answer } = await send(url, { operation: 'introspect', params }, 1);
    const text = messagesIn(answer).at(-1)?.result?.content?.[0]?.text;
    return (text === undefined ? undefined : JSON.parse(text).data) ?? {};
  };
  // The gateway is ready when an upstream may still be listing its tools.
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const { operations = [] } = await ask({ query: 'operations', first: 100 });
    const own = operations.filter(({ name }) => TOOLS.some((tool) => name === tool.name || name.endsWith('_rows')));
    if (own.length >= TOOLS.length)
      return Promise.all(own.map(async ({ name }) => (await ask({ query: 'operations', name })).operation));
    await delay(100);
  }
  throw new Error('the upstream has no operations');
}

console.log(`seed ${seed}, ${seconds} seconds: repeat with 'npm run fuzz -- --seed ${seed}'`);
const directory = await mkdtemp(join(tmpdir(), 'fuzz-'));
const settings = { tools: TOOLS, program: 'echo-upstream.mjs', config: { policy: { rules: ALLOW } } };
const { gateway, url, words, ready } = await startGateway(settings, directory);
let stdio;
let sent = 0;
try {
  await ready();
  const operations = await introspect(url);
  stdio = startStdio(directory);
  const end = performance.now() + seconds * 1_000;
  const isOver = () => performance.now() >= end || gateway.exitCode !== null || problems.length >= 100;
  const work = async (worker, exchangeOne) => {
    const drawing = createDrawing(createRandom(seed + worker), operations);
    while (!isOver()) {
      sent += 1;
      await exchangeOne(drawing, sent + 1_000_000 * worker);
      if (sent % 50 === 0) await checkHealth(url);
    }
  };
  const overHttp = (drawing, id) => exchange(url, drawing, id);
  await Promise.all([
    ...Array.from({ length: WORKERS }, (_, worker) => work(worker, overHttp)),
    work(WORKERS, (drawing, id) => stdio.exchange(drawing, id)),
  ]);
  await checkHealth(url);
  if (gateway.exitCode !== null) note('the gateway ended', words());
  if (stdio.gateway.exitCode !== null) note('the gateway on stdio ended', stdio.words());
  const defects = `${words()}\n${stdio.words()}`
    .split('\n')
    .filter((line) => /defect|unexpected|uncaught|unhandled/i.test(line));
  for (const line of defects.slice(0, 5)) note('a defect in the log', line);
  if (reached.upstream * 2 < reached.calls) note('most calls were refused', JSON.stringify(reached));
} finally {
  gateway.kill('SIGKILL');
  stdio?.gateway.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
}
const frequent = [...outcomes].sort(([, a], [, b]) => b - a).map(([outcome, count]) => `${outcome}: ${count}`);
console.log(`Answers: ${frequent.join(', ')}`);
console.log(
  `${sent} requests, ${reached.calls} of them sound calls, of which ${reached.upstream} reached the upstream; ${problems.length} problems`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
