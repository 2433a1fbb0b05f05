import { createHash } from 'node:crypto';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { inlineServer } from '../support/inline-server.js';
import { type Envelope, type LiveGateway, openLiveGateway } from '../support/live-gateway.js';
import { readJournals } from '../support/read-journals.js';

const text = (value: string) => `({ content: [{ type: 'text', text: ${value} }] })`;
const READS = '{ annotations: { readOnlyHint: true }';
const TAKES_ID = `inputSchema: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] }`;

/** A store of notes that takes down every call which reaches it. */
const NOTES = inlineServer(`{
  get_note: { tool: ${READS}, ${TAKES_ID} },
    run: ({ id }, server) => { (server.seen ??= []).push('get ' + id); return ${text("JSON.stringify({ id, title: 'note ' + id })")}; } },
  list_notes: { tool: ${READS} }, run: () => ${text('JSON.stringify([1, 2, 3].map((id) => ({ id })))')} },
  get_serial: { tool: ${READS} }, run: () => ${text(`'{"serial":12345678901234567890,"small":7}'`)} },
  get_picture: { tool: ${READS} }, run: () => ({ content: [{ type: 'text', text: 'a cat' }, { type: 'image', data: 'AAAA', mimeType: 'image/png' }] }) },
  get_large: { tool: ${READS} }, run: () => ${text('JSON.stringify(Array.from({ length: 4000 }, (_, id) => ({ id, name: "a name of some length" })))')} },
  wait_long: { tool: ${READS} }, run: () => new Promise(() => {}) },
  create_note: { tool: { inputSchema: { type: 'object', properties: { title: { type: 'string' } } } },
    run: ({ title }, server) => { (server.seen ??= []).push('create ' + title); return ${text('JSON.stringify({ created: title })')}; } },
  delete_note: { tool: { ${TAKES_ID} },
    run: ({ id }, server) => { (server.seen ??= []).push('delete ' + id); return ${text('JSON.stringify({ deleted: id })')}; } },
  list_seen: { tool: ${READS} }, run: ({}, { seen = [] }) => ${text('JSON.stringify(seen)')} },
}`);

const TOKENS = { ann: 'ann-has-a-long-token-0123', bob: 'bob-has-a-long-token-0123' };
const configure = (programs: object = {}, more: object = {}) => ({
  programs: { enabled: true, maxPerClient: 4, ...programs },
  clients: Object.fromEntries(Object.entries(TOKENS).map(([name, token]) => [name, { token }])),
  mcpServers: { notes: NOTES },
  ...more,
});

let live: LiveGateway;
let ann: Client;
let bob: Client;

beforeAll(async () => {
  live = await openLiveGateway(configure({}, { executions: { enabled: true }, audit: { calls: 'all', sync: true } }));
  [ann, bob] = [await live.connect('http', 'legacy', TOKENS.ann), await live.connect('http', 'legacy', TOKENS.bob)];
});

afterAll(() => live?.[Symbol.asyncDispose]());

/** A gateway of its own for the test, with a client. */
async function open(programs: object, more: object = {}) {
  const opened = await openLiveGateway(configure(programs, more));
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const client = await opened.connect('http', 'legacy', TOKENS.ann);
  return {
    ...opened,
    client,
    run: (code: string, params: JsonObject = {}) => opened.call(client, 'run_program', { code, ...params }),
  };
}

const run = (code: string, more: JsonObject = {}): Promise<Envelope> =>
  live.call(ann, 'run_program', { code, ...more });
const goOn = (stopped: Envelope, more: JsonObject = {}, client = ann): Promise<Envelope> =>
  live.call(client, 'run_program', { program_token: stopped.error?.details?.['program_token'], ...more });
const seen = async (): Promise<readonly string[]> => (await live.call(ann, 'list_seen')).data;
const seenSince = async (count: number): Promise<readonly string[]> => (await seen()).slice(count);

describe('a program over operations', () => {
  it('loops over a list, and what it returns is the result', async () => {
    const { data } = await run(
      'const titles = []; for (const { id } of await aql.read("list_notes")) titles.push((await aql.read("get_note", { id })).title); console.log("read", titles.length); return titles;',
    );
    expect(data).toEqual({ result: ['note 1', 'note 2', 'note 3'], calls: 4, console: 'read 3\n' });
  });

  it('finds operations, and shapes their answers with the controls of every call', async () => {
    const code =
      'const found = await aql.find("notes"); return [found.some(({ name }) => name === "list_notes"), await aql.call("list_notes", { filter: { id: { gt: 1 } } })];';
    const { data } = await run(code);
    expect(data.result[0]).toBe(true);
    expect(JSON.stringify(data.result[1])).not.toContain('"id":1');
    expect(JSON.stringify(data.result[1])).toContain('"id":3');
  });

  it('throws the errors of its calls with their code, message and details', async () => {
    const code = `const codes = [];
      for (const [family, name, params] of input) {
        try { await aql[family](name, params); codes.push("OK"); } catch (error) { codes.push([error.code, error.message, error instanceof Error, typeof error.details]); }
      }
      return codes;`;
    const input = [
      ['call', 'get_note', { idd: 1 }],
      ['call', 'get_nothing_at_all', {}],
      ['read', 'delete_note', { id: 1 }],
      ['call', 'run_program', { code: 'return 1;' }],
      ['call', 7, {}],
      ['call', 'get_note', 'id=1'],
    ];
    const { data } = await run(code, { input });
    expect(data.result).toEqual([
      ['VALIDATION_UNKNOWN_PARAM', expect.stringContaining("'idd'"), true, 'object'],
      ['NOT_FOUND_OPERATION', expect.any(String), true, 'object'],
      [
        'VALIDATION_ENDPOINT_MISMATCH',
        `'delete_note' is called as aql.delete("delete_note", params), not as aql.read`,
        true,
        'object',
      ],
      ['PERMISSION_DENIED', "Permission denied: 'a program runs no programs'", true, 'object'],
      ['VALIDATION_INVALID_TYPE', expect.any(String), true, 'object'],
      ['VALIDATION_INVALID_TYPE', expect.any(String), true, 'object'],
    ]);
  });

  it('gets numbers that its language would change as texts, and is told what it does not get', async () => {
    const { data, warnings } = await run('return [await aql.read("get_serial"), await aql.read("get_picture")];');
    expect(data.result[0]).toEqual({ serial: '12345678901234567890', small: 7 });
    expect(warnings).toMatchObject([{ code: 'PROGRAM_BLOCKS_LEFT_WARNING', details: { operation: 'get_picture' } }]);
  });

  it('gets answers whole that callers get in parts, and its own result is cut as theirs', async () => {
    const few = await run('const all = await aql.read("get_large"); return [all.length, all.at(-1)];');
    expect(few.data.result).toEqual([4000, { id: 3999, name: 'a name of some length' }]);
    const all = await run('return await aql.read("get_large");');
    expect(all.data.result.length).toBeLessThan(4000);
    expect(JSON.stringify(all.warnings)).toContain('introspect');
  });

  it('says where it failed, and what has run stays told', async () => {
    const before = (await seen()).length;
    const { error } = await run(
      'await aql.call("create_note", { title: "kept" });\nconst none = null;\nreturn none.title;',
    );
    expect(error).toMatchObject({
      code: 'VALIDATION_INVALID_VALUE',
      message: expect.stringMatching(/TypeError: .* \(line 3\)\. What has run stays done/),
      details: {
        reason: 'threw',
        line: 3,
        calls_run: 1,
        changes: [{ operation: 'create_note', params: { title: 'kept' }, outcome: 'OK' }],
      },
    });
    expect(error?.details).not.toHaveProperty('retryable');
    expect(await seenSince(before)).toEqual(['create kept']);
  });

  it('is ended at its time or with its caller, whatever it waits for', async () => {
    const { error } = await run('await aql.read("wait_long");', { timeout_ms: 1_500 });
    expect(error).toMatchObject({ code: 'VALIDATION_INVALID_VALUE', details: { reason: 'timeout' } });
    const { data } = await live.call(ann, 'run_program', {
      code: 'await aql.read("wait_long");',
      _execution: { background: true },
    });
    await live.call(ann, 'cancel_execution', { execution_id: data.execution_id });
    const { data: ended } = await live.call(ann, 'get_execution_status', {
      execution_id: data.execution_id,
      wait_seconds: 20,
    });
    expect(ended).toMatchObject({ status: 'cancelled' });
  });

  it('goes on in the background, where its result is read later', async () => {
    const { data } = await run('return (await aql.read("get_note", { id: 5 })).title;', {
      _execution: { background: true },
    });
    const { data: ended } = await live.call(ann, 'get_execution_status', {
      execution_id: data.execution_id,
      wait_seconds: 30,
    });
    expect(ended).toMatchObject({
      status: 'completed',
      result: { success: true, data: { result: 'note 5', calls: 1 } },
    });
  });

  it('learns no token, neither of another program of its caller nor of what it asked in the background', async () => {
    const { data } = await run('await aql.call("delete_note", { id: 4 });', { _execution: { background: true } });
    const status = { execution_id: data.execution_id, wait_seconds: 30 };
    expect(JSON.stringify(await live.call(ann, 'get_execution_status', status))).toMatch(/program_[\w-]{32}/);
    const told = await run(
      `const of = (call) => call.then(JSON.stringify, (error) => JSON.stringify([error.message, error.details]));
       return [await of(aql.call('get_execution_status', input)), await of(aql.call('list_executions', {}))];`,
      { input: status },
    );
    expect(told.data.result).toHaveLength(2);
    expect(JSON.stringify(told)).not.toMatch(/program_[\w-]{32}|conf_[\w-]{16}/);
  });

  it('has its calls in the audit trail by its id, which tells its code and input, each as its caller', async () => {
    const code = 'await aql.call("create_note", { title: "recorded" });';
    await run(code);
    const digest = createHash('sha256')
      .update(JSON.stringify([code, 'null']))
      .digest('hex');
    const records = (await readJournals(live.gateway.config.directory)).filter(
      ({ operation }) => operation === 'notes__create_note',
    );
    const actor = records.at(-1)?.['actor'];
    expect(actor).toMatchObject({ client: 'ann', program: expect.stringMatching(new RegExp(`^prog_.*_${digest}$`)) });
  });

  it('reads alone by run_program_read_only, whatever its calls are named and told', async () => {
    const before = (await seen()).length;
    const code =
      'const of = async (call) => call.then(() => "OK", (error) => error.code); return [await of(aql.read("list_notes")), await of(aql.call("create_note", { title: "no" })), await of(aql.delete("delete_note", { id: 1 })), await of(aql.call("cancel_execution", { execution_id: "x" })), await of(aql.call("run_program_read_only", { code: "1" }))];';
    const { data } = await live.call(ann, 'run_program_read_only', { code });
    expect(data.result).toEqual([
      'OK',
      'PERMISSION_DENIED',
      'PERMISSION_DENIED',
      'PERMISSION_DENIED',
      'PERMISSION_DENIED',
    ]);
    expect(await seenSince(before)).toEqual([]);
  });

  it('shows two examples where a model asks for it by name', async () => {
    for (const name of ['run_program', 'run_program_read_only']) {
      const { data } = await live.call(ann, 'introspect', { query: 'operations', name });
      expect(JSON.stringify(data)).toContain('aql.read');
      expect((data.operation ?? data).examples).toHaveLength(2);
    }
  });
});

describe('a program whose call must be confirmed', () => {
  const CODE =
    'const made = await aql.call("create_note", { title: "before" }); const gone = await aql.delete("delete_note", { id: 7 }); await aql.call("create_note", { title: "after" }); return [made, gone, Date.now(), Math.random()];';

  it('stops there, and goes on by its token alone without running anything twice', async () => {
    const before = (await seen()).length;
    const stopped = await run(CODE);
    expect(stopped.error).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
      message: expect.stringMatching(/Run 'delete_note' .* 1 calls have run, and do not run again/),
      details: {
        asked: [{ operation: 'delete_note', confirmation_message: expect.stringContaining('id = 7') }],
        calls: [{ operation: 'create_note', outcome: 'OK', count: 1 }],
        program_token: expect.stringMatching(/^program_/),
      },
    });
    // The token of the question is policy's and the gateway's.
    expect(JSON.stringify(stopped)).not.toContain('conf_');
    expect(await seenSince(before)).toEqual(['create before']);
    const { data } = await goOn(stopped);
    expect(data).toMatchObject({
      result: [{ created: 'before' }, { deleted: 7 }, expect.any(Number), expect.any(Number)],
      calls: 3,
    });
    expect(await seenSince(before)).toEqual(['create before', 'delete 7', 'create after']);
    expect((await goOn(stopped)).error).toMatchObject({ code: 'TOKEN_ALREADY_USED' });
    expect(await seenSince(before)).toHaveLength(3);
  });

  it('takes its token from nobody else, for nothing else, and once of many attempts', async () => {
    const before = (await seen()).length;
    const stopped = await run(CODE, { input: { a: 1 } });
    const refused = [
      await goOn(stopped, {}, bob),
      await goOn(stopped, { code: 'await aql.call("create_note", { title: "evil" });' }),
      await goOn(stopped, { input: { a: 2 } }),
      await goOn(stopped, { dry_run: true }),
      await live.call(ann, 'run_program_read_only', { program_token: stopped.error?.details?.['program_token'] }),
      await live.call(ann, 'run_program', { program_token: 'program_made_up' }),
      await live.call(ann, 'run_program', {}),
    ];
    expect(refused.map(({ error }) => error?.code)).toEqual([
      'TOKEN_INVALID',
      'TOKEN_SCOPE_MISMATCH',
      'TOKEN_SCOPE_MISMATCH',
      'VALIDATION_INVALID_VALUE',
      'TOKEN_SCOPE_MISMATCH',
      'TOKEN_INVALID',
      'VALIDATION_MISSING_PARAM',
    ]);
    expect(await seenSince(before)).toEqual(['create before']);
    const attempts = await Promise.all([goOn(stopped), goOn(stopped, { code: CODE, input: { a: 1 } }), goOn(stopped)]);
    expect(attempts.map(({ success }) => success).toSorted()).toEqual([false, false, true]);
    expect((await seenSince(before)).toSorted()).toEqual(['create after', 'create before', 'delete 7']);
  });

  it('asks at each such call, and cannot agree by itself', async () => {
    const before = (await seen()).length;
    const code =
      'const answers = []; for (const id of [1, 2]) answers.push(await aql.delete("delete_note", { id }).catch((error) => ["caught", error.details])); return answers;';
    const first = await run(code);
    const second = await goOn(first);
    expect(second.error).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
      details: { asked: [{ confirmation_message: expect.stringContaining('id = 2') }] },
    });
    expect((await goOn(second)).data.result).toEqual([{ deleted: 1 }, { deleted: 2 }]);
    expect(await seenSince(before)).toEqual(['delete 1', 'delete 2']);
  });

  it('only lists in a dry run what it would call beside reads', async () => {
    const before = (await seen()).length;
    const { data } = await run(
      'const { title } = await aql.read("get_note", { id: 4 }); const made = await aql.call("create_note", { title }); await aql.delete("delete_note", { id: 4 }); await aql.delete("delete_note", {}).catch((error) => console.log(error.code)); return made;',
      { dry_run: true },
    );
    expect(data).toEqual({
      result: { dry_run: true },
      calls: 4,
      would_run: [
        { operation: 'create_note', category: 'CREATE', params: { title: 'note 4' }, policy: 'allow' },
        { operation: 'delete_note', category: 'DELETE', params: { id: 4 }, policy: 'confirm' },
      ],
      console: 'VALIDATION_MISSING_PARAM\n',
    });
    expect(await seenSince(before)).toEqual(['get 4']);
  });

  it('goes on in another gateway of the same store, and once over all of them', async () => {
    const directory = await makeDirectory();
    onTestFinished(() => directory[Symbol.asyncDispose]());
    // A token is of one configuration, and where a server runs is a part of that.
    const notes = { ...NOTES, cwd: directory.path };
    const shared = { store: { type: 'sqlite', file: `${directory.path}/state.db` }, mcpServers: { notes } };
    const one = await open({}, shared);
    const stopped = await one.run(
      'await aql.call("create_note", { title: "one" }); return await aql.delete("delete_note", { id: 3 });',
    );
    const token = stopped.error?.details?.['program_token'];
    expect(token).toMatch(/^program_/);
    const other = await open({}, shared);
    const went = await other.call(other.client, 'run_program', { program_token: token });
    expect(went).toMatchObject({ data: { result: { deleted: 3 }, calls: 2 } });
    // Each gateway has a server of its own.
    expect((await other.call(other.client, 'list_seen')).data).toEqual(['delete 3']);
    const late = await one.call(one.client, 'run_program', { program_token: token });
    expect(late.error?.code).toBe('TOKEN_ALREADY_USED');
    expect((await one.call(one.client, 'list_seen')).data).toEqual(['create one']);
  });
});

describe('what holds a program', () => {
  it('is what holds its caller: rules, budgets and what a view shows', async () => {
    const opened = await open(
      {},
      {
        policy: { rules: [{ name: 'no notes', match: { operation: 'create_note' }, decision: 'deny' }] },
        quotas: {
          limits: [{ name: 'few', match: { operation: 'get_note' }, metric: 'requests_per_hour', hard_stop: 2 }],
        },
        views: { small: { upstreams: ['notes'], operations: { include: ['get_note'] } } },
      },
    );
    const code =
      'const codes = []; for (const [name, params] of input) codes.push(await aql.call(name, params).then(() => "OK", (error) => error.code)); return codes;';
    const notes = [1, 2, 3].map((id) => ['get_note', { id }]);
    const { data } = await opened.run(code, { input: [['create_note', { title: 'x' }], ...notes] });
    expect(data.result).toEqual(['PERMISSION_DENIED', 'OK', 'OK', expect.stringMatching(/^RATE_LIMIT_/)]);
    const inView = await opened.connect('http', 'legacy', TOKENS.bob, 'small');
    const { data: seenInView } = await opened.call(inView, 'run_program', { code, input: [['list_notes', {}]] });
    expect(seenInView.result).toEqual(['NOT_FOUND_OPERATION']);
  });

  it('bounds its code, its input, its answers and how many run at once', async () => {
    const { run: go } = await open({
      maxCodeBytes: 1_024,
      maxInputBytes: 1_024,
      maxAnswerBytes: 65_536,
      maxPerClient: 1,
      computeMs: 3_000,
    });
    const codeOf = async (answer: Promise<Envelope>) => {
      const { error } = await answer;
      return [error?.code, error?.details?.['setting'] ?? error?.details?.['reason']];
    };
    expect(await codeOf(go(`return 1;${' '.repeat(2_000)}`))).toEqual([
      'VALIDATION_PAYLOAD_TOO_LARGE',
      'programs.maxCodeBytes',
    ]);
    expect(await codeOf(go('return 1;', { input: 'x'.repeat(2_000) }))).toEqual([
      'VALIDATION_PAYLOAD_TOO_LARGE',
      'programs.maxInputBytes',
    ]);
    const { data } = await go(
      'return await aql.read("get_large").catch((error) => [error.code, error.details.outcome]);',
    );
    expect(data.result).toEqual(['VALIDATION_PAYLOAD_TOO_LARGE', 'ran']);
    const both = await Promise.all([go('return await aql.read("wait_long");', { timeout_ms: 2_000 }), go('return 1;')]);
    expect(both.map(({ error }) => error?.code ?? 'OK')).toContain('RATE_LIMIT_EXCEEDED');
    expect(await codeOf(go('for (;;) {}'))).toEqual(['VALIDATION_INVALID_VALUE', 'time']);
    expect(await codeOf(go('JSON.parse("[".repeat(1_000_000));'))).toEqual([
      'VALIDATION_INVALID_VALUE',
      expect.stringMatching(/stack|threw/),
    ]);
    // Whatever one has done, the next finds an engine of its own.
    expect(
      (await go('return [Object.keys(globalThis).length, new Date().getHours() === new Date().getUTCHours()];')).data
        .result,
    ).toEqual([1, true]);
  });

  it('begins only where the memory of all threads has room for it', async () => {
    const { run: go } = await open({ memoryMegabytes: 1_024 });
    const first = go('return await aql.read("wait_long");', { timeout_ms: 4_000 });
    const { error } = await go('return 1;');
    expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { outcome: 'not_run', retryable: true } });
    expect(error?.message).toMatch(/^The 1 programs that run take the memory/);
    await first;
    expect((await go('return 1;')).data.result).toBe(1);
  });

  it('is off unless it is configured, and there is nothing of it then', async () => {
    const off = await openLiveGateway({ mcpServers: { notes: NOTES } });
    onTestFinished(() => off[Symbol.asyncDispose]());
    const client = await off.connect('http', 'legacy');
    for (const operation of ['run_program', 'run_program_read_only'])
      expect((await off.call(client, operation, { code: 'return 1;' })).error?.code).toBe('NOT_FOUND_OPERATION');
    expect(JSON.stringify(off.gateway.operations().map(({ operation }) => operation.name))).not.toContain('program');
  });
});
