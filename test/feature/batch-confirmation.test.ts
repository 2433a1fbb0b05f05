import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import { MODERN_META, modernHeaders, sendHttp } from '../support/raw-http.js';
import { NO_REDIS, REDIS_BINARY, startRedisServer } from '../support/redis-server.js';
import type { ReplayServer } from '../support/replay-server.js';

const TOKEN = 'alice-has-a-long-token';

interface BatchAnswer {
  readonly success: boolean;
  readonly results: readonly { readonly index: number; readonly result: Answer }[];
  readonly halted_at?: {
    readonly operation: string;
    readonly result: {
      readonly error: { readonly code: string; readonly message: string; readonly details: JsonObject };
    };
  };
  readonly pending_operations?: readonly { readonly operation: string; readonly params?: JsonObject }[];
  readonly summary: JsonObject;
  readonly error?: { readonly code: string; readonly message: string };
}

let upstream: ReplayServer;

beforeAll(async () => {
  upstream = await startDangerUpstream();
});

afterAll(() => upstream?.[Symbol.asyncDispose]());

const run = (operation: string, params: JsonObject = {}): JsonObject => ({ operation, params });
const destroy = (path: string, more: JsonObject = {}) => run('do_destructive', { path, ...more });
const create = (path: string) => run('do_reversible', { path });

async function batch(client: McpClient, operations: readonly unknown[]): Promise<BatchAnswer> {
  const { raw } = await client.callTool(EXECUTE, { operations });
  const [{ text }] = raw['content'] as [{ readonly text: string }];
  return JSON.parse(text) as BatchAnswer;
}

/** What a client sends to go on, without looking at anything: the halted operation with its token alone, then the pending ones. */
function continuation({ halted_at, pending_operations = [] }: BatchAnswer): readonly unknown[] {
  const token = halted_at?.result.error.details['confirmation_token'];
  return [run(halted_at?.operation ?? '', { _confirmation: token }), ...pending_operations];
}

/** The paths of the calls that reach the upstream meanwhile. */
async function pathsDuring(work: () => Promise<unknown>): Promise<readonly unknown[]> {
  const before = upstream.calls.length;
  await work();
  return upstream.calls.slice(before).map(({ arguments: args }) => (args as { path?: string }).path);
}

const codesOf = ({ results }: BatchAnswer) => results.map(({ result: { error } }) => error?.code ?? 'OK');

const configOf = (more: object = {}, policy: object = {}): object => ({
  clients: { alice: { token: TOKEN } },
  policy,
  mcpServers: { demo: dangerEntry(upstream) },
  ...more,
});
const TOGETHER = { confirmation: { batch: 'together' } };
const connect = ({ url }: RunningGateway, answer?: () => { action: 'accept'; content: { approve: boolean } }) =>
  connectClient(url, 'auto', { token: TOKEN, ...(answer === undefined ? {} : { answer }) });

describe('a batch with several operations that ask', () => {
  let gateway: RunningGateway;
  let client: McpClient;

  beforeAll(async () => {
    gateway = await hostGateway(configOf());
    client = await connect(gateway);
  });

  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
  });

  it('asks about all of them in one answer, and the pending operations of the answer are the batch that goes on', async () => {
    const operations = [
      create('/1'),
      destroy('/2'),
      create('/3'),
      destroy('/4'),
      destroy('$results[2].data.arguments.path'),
    ];
    let halted: BatchAnswer | undefined;
    expect(
      await pathsDuring(async () => {
        halted = await batch(client, operations);
      }),
    ).toEqual(['/1']);
    expect(halted?.halted_at?.result.error.details).toMatchObject({
      confirmation_message: expect.stringContaining("path = '/2'"),
      also_asked: [{ index: 3, confirmation_message: expect.stringContaining("path = '/4'"), requires: 'token' }],
    });
    const next = continuation(halted as BatchAnswer);
    let asked: BatchAnswer | undefined;
    expect(
      await pathsDuring(async () => {
        asked = await batch(client, next);
      }),
    ).toEqual(['/2', '/3', '/4']);
    // What uses a result is asked about when it is known.
    expect(asked?.halted_at?.result.error.details['confirmation_message']).toContain("path = '/3'");
    expect(await pathsDuring(async () => batch(client, continuation(asked as BatchAnswer)))).toEqual(['/3']);
    // None of the tokens is good for a second time.
    expect(await pathsDuring(async () => batch(client, [next[0], next[2]]))).toEqual([]);
    expect(codesOf(await batch(client, [next[0], next[2]]))).toEqual(['TOKEN_ALREADY_USED', 'TOKEN_ALREADY_USED']);
  });

  it('takes each token for its own operation and parameters alone', async () => {
    const [first, second] = continuation(await batch(client, [destroy('/a'), destroy('/b')])) as [
      { params: JsonObject },
      { params: JsonObject },
    ];
    const ofSecond = second.params['_confirmation'];
    const answer = await batch(client, [
      destroy('/c', { _confirmation: ofSecond }),
      run('do_destructive_too', { _confirmation: ofSecond }),
      destroy('/b', { _confirmation: first.params['_confirmation'] }),
    ]);
    expect(codesOf(answer)).toEqual(['TOKEN_SCOPE_MISMATCH', 'TOKEN_SCOPE_MISMATCH', 'TOKEN_SCOPE_MISMATCH']);
    expect(await pathsDuring(() => batch(client, [first, second]))).toEqual(['/a', '/b']);
  });

  it('lets one token alone stand for the call that was shown, whatever it was written with', async () => {
    const [first] = continuation(await batch(client, [destroy('$$results[0].data.path')]));
    expect(await pathsDuring(() => batch(client, [create('/x'), first]))).toEqual(['/x', '$results[0].data.path']);
  });
});

/** Sends the batch that goes on many times at once over several gateways; returns the paths that reached the upstream. */
async function goOnAtOnce(clients: readonly McpClient[], operations: readonly unknown[]): Promise<readonly unknown[]> {
  const halted = await batch(clients[0] as McpClient, operations);
  const next = continuation(halted);
  return pathsDuring(() =>
    Promise.all(Array.from({ length: 20 }, (_, n) => batch(clients[n % clients.length] as McpClient, next))),
  );
}

describe.each([
  ['each', {}],
  ['together', TOGETHER],
])('the tokens of a batch that is agreed to %s, sent to two gateways at once', (_name, policy) => {
  const operations = [destroy('/1'), run('do_destructive_too', { path: '/2' })];
  const patient = {
    ...policy,
    confirmation: { maxFailuresPerMinute: 1_000, ...('confirmation' in policy ? policy.confirmation : {}) },
  };

  it('run each operation once, on one SQLite file', async () => {
    await using one = await hostGateway(configOf({}, patient));
    await using two = await hostGateway(
      configOf({ store: { type: 'sqlite', file: `${one.directory}/.mcp-aql/state.db` } }, patient),
    );
    await using first = await connect(one);
    await using second = await connect(two);
    expect([...(await goOnAtOnce([first, second], operations))].sort()).toEqual(['/1', '/2']);
  });

  it.skipIf(REDIS_BINARY === undefined)(`run each operation once, on Redis (${NO_REDIS})`, async () => {
    await using redis = await startRedisServer();
    const config = configOf({ store: { type: 'redis', url: redis.url } }, patient);
    await using one = await hostGateway(config);
    await using two = await hostGateway(config);
    await using first = await connect(one);
    await using second = await connect(two);
    expect([...(await goOnAtOnce([first, second], operations))].sort()).toEqual(['/1', '/2']);
  });
});

describe('a batch that is agreed to together', () => {
  let gateway: RunningGateway;
  let client: McpClient;

  beforeAll(async () => {
    gateway = await hostGateway(configOf({}, TOGETHER));
    client = await connect(gateway);
  });

  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
  });

  const operations = [destroy('/1'), create('/2'), run('do_destructive_too', { path: '/3' }), destroy('/4')];

  it('has one token for all operations that ask, which are shown in their order, and goes on with it', async () => {
    const halted = await batch(client, operations);
    const { message, details } = halted.halted_at?.result.error ?? { message: '', details: {} };
    expect(message).toContain('3 operations');
    expect(details).toMatchObject({
      covers: [0, 2, 3],
      operations: ['do_destructive', 'do_destructive_too', 'do_destructive'],
      confirmation_message: expect.stringMatching(
        /^Run these 3 operations.*\n1\. .*'\/1'.*\n2\. .*'\/3'.*\n3\. .*'\/4'/,
      ),
    });
    expect(JSON.stringify(halted.pending_operations)).not.toContain('_confirmation');
    const next = continuation(halted);
    expect(await pathsDuring(() => batch(client, next))).toEqual(['/1', '/2', '/3', '/4']);
    expect(await batch(client, next)).toMatchObject({ success: false, error: { code: 'TOKEN_ALREADY_USED' } });
  });

  it('runs nothing where operations that were shown are missing, changed, added or in another order', async () => {
    const halted = await batch(client, operations);
    const [first, free, second, third] = continuation(halted) as [JsonObject, JsonObject, JsonObject, JsonObject];
    const others = [
      [first],
      [first, free, second],
      [first, free, third, second],
      [first, free, second, destroy('/other')],
      [first, free, second, third, destroy('/5')],
      [destroy('/other', first['params'] as JsonObject), free, second, third],
      [second, free, first, third],
    ];
    for (const other of others) {
      let answer: BatchAnswer | undefined;
      expect(
        await pathsDuring(async () => {
          answer = await batch(client, other);
        }),
      ).toEqual([]);
      expect(answer).toMatchObject({ success: false, error: { code: 'TOKEN_SCOPE_MISMATCH' } });
    }
    expect(await pathsDuring(() => batch(client, [first, free, second, third]))).toEqual(['/1', '/2', '/3', '/4']);
  });

  it('has a token that is good for no single call', async () => {
    const [first] = continuation(await batch(client, operations)) as [{ params: JsonObject }];
    const alone = await client.call(EXECUTE, 'do_destructive', first.params);
    expect(alone.error?.code).toBe('TOKEN_SCOPE_MISMATCH');
    const whole = await client.call(EXECUTE, 'do_destructive', { path: '/1', ...first.params });
    expect(whole.error?.code).toBe('TOKEN_SCOPE_MISMATCH');
  });

  it('asks about an operation with a reference when it is reached, and about those after it once, with it', async () => {
    const halted = await batch(client, [
      destroy('/1'),
      run('do_destructive_too', { path: '/2' }),
      create('/3'),
      destroy('$results[2].data.arguments.path'),
      destroy('/4'),
    ]);
    expect(halted.halted_at?.result.error.details['covers']).toEqual([0, 1]);
    let asked: BatchAnswer | undefined;
    expect(
      await pathsDuring(async () => {
        asked = await batch(client, continuation(halted));
      }),
    ).toEqual(['/1', '/2', '/3']);
    expect(asked?.halted_at?.result.error.details['covers']).toEqual([3, 4]);
    expect(await pathsDuring(() => batch(client, continuation(asked as BatchAnswer)))).toEqual(['/3', '/4']);
  });

  it('has the usual token where one operation asks', async () => {
    const halted = await batch(client, [destroy('/1'), create('/2')]);
    expect(halted.halted_at?.result.error.details['covers']).toBeUndefined();
    expect(await pathsDuring(() => batch(client, continuation(halted)))).toEqual(['/1', '/2']);
  });
});

describe.each(['auto', 'legacy'] as const)(
  'a batch whose operations need a person, over a client that can ask (%s)',
  (era) => {
    const rules = [
      { match: { operation: ['do_destructive', 'do_destructive_too'] }, decision: 'confirm', requires: 'human' },
    ];
    const policy = { ...TOGETHER, rules, approvals: { operator: false } };
    const operations = [create('/1'), destroy('/2'), run('do_destructive_too', { path: '/3' }), create('/4')];

    it('asks its user once, before anything has run, and runs what the user agrees to', async () => {
      await using gateway = await hostGateway({ policy, mcpServers: { demo: dangerEntry(upstream) } });
      for (const approve of [true, false]) {
        const questions: string[] = [];
        let ranBefore = -1;
        const before = upstream.calls.length;
        await using client = await connectClient(gateway.url, era, {
          answer: (question) => {
            questions.push(question);
            ranBefore = upstream.calls.length - before;
            return { action: 'accept', content: { approve } };
          },
        });
        let answer: BatchAnswer | undefined;
        const paths = await pathsDuring(async () => {
          answer = await batch(client, operations);
        });
        expect(questions).toHaveLength(1);
        expect(questions[0]).toMatch(/1\. .*'\/2'.*\n2\. .*'\/3'/);
        expect(ranBefore).toBe(0);
        expect(paths).toEqual(approve ? ['/1', '/2', '/3', '/4'] : ['/1', '/4']);
        expect(codesOf(answer as BatchAnswer)).toEqual(
          approve ? ['OK', 'OK', 'OK', 'OK'] : ['OK', 'PERMISSION_DENIED', 'PERMISSION_DENIED', 'OK'],
        );
      }
    });
  },
);

describe('the answer of a user, which a client sends with a second call', () => {
  const rules = [{ match: { operation: 'do_destructive' }, decision: 'confirm', requires: 'human' }];
  const policy = { ...TOGETHER, rules, approvals: { operator: false } };

  it('is good for the batch that was asked about, once', async () => {
    await using gateway = await hostGateway(configOf({}, policy));
    const asking = { ...MODERN_META, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
    const send = async (operations: readonly unknown[], more: JsonObject = {}) => {
      const params = { name: EXECUTE, arguments: { operations }, _meta: asking, ...more };
      const { json } = await sendHttp(gateway.url, {
        headers: { ...modernHeaders('tools/call', EXECUTE), authorization: `Bearer ${TOKEN}` },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      });
      return json.result;
    };
    const operations = [create('/1'), destroy('/2'), destroy('/3')];
    const { requestState } = await send(operations);
    expect(typeof requestState).toBe('string');
    const yes = { requestState, inputResponses: { consent: { action: 'accept', content: { approve: true } } } };
    const codeOf = ({ content }: { content: [{ text: string }] }) => JSON.parse(content[0].text).error?.code;
    const other = [create('/1'), destroy('/2'), destroy('/4')];
    expect(await pathsDuring(async () => expect(codeOf(await send(other, yes))).toBe('TOKEN_SCOPE_MISMATCH'))).toEqual(
      [],
    );
    expect(await pathsDuring(() => send(operations, yes))).toEqual(['/1', '/2', '/3']);
    expect(
      await pathsDuring(async () => expect(codeOf(await send(operations, yes))).toBe('TOKEN_ALREADY_USED')),
    ).toEqual([]);
  });
});
