import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/json.js';
import type { Caller } from '../../../src/base/protocol/call.js';
import { Cancellation } from '../../../src/base/protocol/cancellation.js';
import type { RawTool } from '../../../src/base/protocol/tools.js';
import type { StdioEndpoint, UpstreamConfig } from '../../../src/config/gateway-config.js';
import { ManagedUpstream } from '../../../src/upstream/managed-upstream.js';
import { CHILD_MARK, GATEWAY_MARK } from '../../../src/upstream/transport/process-groups.js';
import { createUpstreamPool } from '../../../src/upstream/upstream-pool.js';
import { createBehaviours } from '../../fixtures/servers/behaviours.mjs';
import { type ServedHttp, serveLegacyHttp, serveModernHttp } from '../../fixtures/servers/serve-http.mjs';
import { browserServer } from '../../support/browser-server.js';
import { minutes } from '../../support/patience.js';
import {
  anUpstream,
  behaviourServer,
  entered,
  isAlive,
  type OpenedPool,
  openPool,
  SERVERS,
  textOf,
} from './opened-pool.js';

type Overrides = Partial<Omit<UpstreamConfig, 'instances'>> & {
  readonly instances?: Partial<UpstreamConfig['instances']>;
};

function aBrowser({ instances, ...overrides }: Overrides = {}): UpstreamConfig {
  const { command, args } = browserServer();
  const endpoint: StdioEndpoint = { type: 'stdio', command, args, env: {}, cwd: SERVERS };
  const bounds = { max: 20, idleSeconds: 300, spare: 0, ...instances };
  return anUpstream(endpoint, { isolation: 'session', instances: bounds, ...overrides });
}

function session(sessionId: string, client?: string): Caller {
  const caller = { sessionId, clientName: 'test', transport: 'http' } as const;
  return client === undefined ? caller : { ...caller, client };
}

async function ask(opened: OpenedPool, caller: Caller, tool: string, args: JsonObject = {}): Promise<JsonObject> {
  return JSON.parse(textOf(await opened.call(tool, args, { caller })));
}

async function pidOf(opened: OpenedPool, caller: Caller): Promise<number> {
  return Number((await ask(opened, caller, 'browser_process'))['pid']);
}

/** The children of this process that a pool has started. */
function markedProcesses(): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`).includes(`${CHILD_MARK}=${GATEWAY_MARK}`);
    } catch {
      return false;
    }
  });
}

async function serving<T extends ServedHttp>(starting: Promise<T>): Promise<T & AsyncDisposable> {
  const server = await starting;
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });
}

const [anna, bert] = [session('anna'), session('bert')];

describe('an upstream that is isolated by session', () => {
  it('gives its first connection to the first session, and another one each to the others', async () => {
    await using opened = openPool(aBrowser());
    await opened.settled;
    const first = await pidOf(opened, anna);
    const second = await pidOf(opened, bert);
    expect([await pidOf(opened, anna), await pidOf(opened, bert)]).toEqual([first, second]);
    expect(first).not.toBe(second);
    expect(opened.lists.get('one')).toHaveLength(1);
    expect(opened.pool.statuses()[0]).toMatchObject({
      state: 'ready',
      tools: 8,
      isolation: { mode: 'session', from: 'configuration', instances: { running: 2, max: 20 } },
    });
  });

  it('makes one process for calls that come before it has connected', async () => {
    await using opened = openPool(aBrowser());
    const [first, second] = await Promise.all([pidOf(opened, anna), pidOf(opened, anna)]);
    expect(first).toBe(second);
    expect(opened.pool.statuses()[0]?.isolation?.instances?.running).toBe(1);
  });

  it('ends the process of a session that ends, and begins with a fresh state for the next', async () => {
    await using opened = openPool(aBrowser());
    const pid = await pidOf(opened, anna);
    await ask(opened, anna, 'browser_navigate', { url: 'https://anna.example' });
    opened.pool.endSession('anna');
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(opened.pool.statuses()[0]).toMatchObject({
      state: 'dormant',
      tools: 8,
      isolation: { instances: { running: 0 } },
    });
    expect(opened.pool.upstreams.get('one')?.absence(undefined)).toBeUndefined();
    expect(await ask(opened, bert, 'browser_snapshot')).toMatchObject({ page: 'about:blank' });
    expect(opened.pool.statuses()[0]?.state).toBe('ready');
  });

  it('ends a process that had no call for a while, and starts it with the next call', async () => {
    await using opened = openPool(aBrowser({ instances: { idleSeconds: 0.05 } }));
    const losses: string[] = [];
    const find = async (): Promise<number> => {
      const onStateLost = (why: string): void => void losses.push(why);
      const { pid } = JSON.parse(textOf(await opened.call('browser_process', {}, { caller: anna, onStateLost })));
      return pid;
    };
    const pid = await find();
    await opened.observed(entered('dormant'));
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(losses).toEqual([]);
    expect(await find()).not.toBe(pid);
    expect(losses).toEqual(['idle']);
  });

  it('does not end a process for being idle while a call is in flight', async () => {
    await using opened = openPool(aBrowser({ instances: { idleSeconds: 0.05 } }));
    const waiting = opened.call('browser_wait', {}, { caller: anna });
    await pidOf(opened, bert);
    // The other session's process has been idle for long enough, and has ended.
    await expect.poll(() => opened.pool.statuses()[0]?.isolation?.instances?.running).toBe(1);
    await ask(opened, anna, 'browser_release');
    expect(JSON.parse(textOf(await waiting))).toMatchObject({ page: 'about:blank' });
  });

  it('restarts a process that dies for its session alone; the call of another session goes on', async () => {
    await using opened = openPool(aBrowser());
    const pid = await pidOf(opened, anna);
    await ask(opened, bert, 'browser_navigate', { url: 'https://bert.example' });
    const waiting = opened.call('browser_wait', {}, { caller: bert });
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => opened.pool.statuses()[0]?.restarts).toBe(1);
    expect(await ask(opened, anna, 'browser_snapshot')).toMatchObject({ page: 'about:blank' });
    expect(await pidOf(opened, anna)).not.toBe(pid);
    await ask(opened, bert, 'browser_release');
    expect(JSON.parse(textOf(await waiting))).toMatchObject({ page: 'https://bert.example' });
  });

  it('refuses a session beyond the bound with an answer that says which, and what makes space', async () => {
    await using opened = openPool(aBrowser({ instances: { max: 1 } }));
    await pidOf(opened, anna);
    await expect(pidOf(opened, bert)).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      message: expect.stringContaining('(instances.max: 1). The call did not run: send it again in 60 s.'),
      details: { upstream: 'one', reason: 'instances_in_use', retryable: true, outcome: 'not_run', max_instances: 1 },
    });
    opened.pool.endSession('anna');
    expect(await pidOf(opened, bert)).toBeGreaterThan(0);
  });

  it('starts nothing for a call whose session has ended meanwhile', async () => {
    await using opened = openPool(aBrowser());
    await opened.settled;
    const cancellation = new Cancellation();
    cancellation.cancel('the session has ended');
    await expect(opened.call('browser_process', {}, { caller: bert, cancellation })).rejects.toMatchObject({
      details: { reason: 'cancelled' },
    });
    expect(opened.pool.statuses()[0]?.isolation?.instances?.running).toBe(1);
  });

  it('lists what one connection has more than the others to its owner alone', async () => {
    const tools = `(() => {
      const pid = { run: () => ({ content: [{ type: 'text', text: JSON.stringify({ pid: process.pid }) }] }) };
      const { existsSync, writeFileSync } = process.getBuiltinModule('node:fs');
      const lock = process.argv[3];
      if (existsSync(lock)) return { browser_process: pid, other: pid };
      writeFileSync(lock, '');
      return { browser_process: pid };
    })()`;
    const { command, args } = browserServer();
    const lock = join(tmpdir(), `isolation-lock-${process.pid}`);
    const endpoint: StdioEndpoint = {
      type: 'stdio',
      command,
      args: [args[0] ?? '', tools, lock],
      env: {},
      cwd: SERVERS,
    };
    try {
      await using opened = openPool(anUpstream(endpoint, { isolation: 'session' }));
      await pidOf(opened, anna);
      await pidOf(opened, bert);
      const names = (tools: readonly RawTool[] = []) => tools.map(({ name }) => name);
      expect(opened.lists.get('one')?.map(names)).toEqual([['browser_process']]);
      expect([...opened.owned].map(([owner, tools]) => [owner, names(tools)])).toEqual([
        ['session bert', ['browser_process', 'other']],
      ]);
    } finally {
      rmSync(lock, { force: true });
    }
  });
});

describe('an upstream over HTTP that is isolated', () => {
  it('has a session of its own for each session, which ends with it', async () => {
    await using server = await serving(serveLegacyHttp(createBehaviours()));
    const endpoint = { type: 'http', url: server.url, headers: {} } as const;
    await using opened = openPool(anUpstream(endpoint, { isolation: 'session' }));
    for (const caller of [anna, bert, anna]) await opened.call('counter', {}, { caller });
    const idsOf = (name: string): ReadonlySet<unknown> =>
      new Set(server.requests.filter(({ method }) => method === name).map(({ headers }) => headers['mcp-session-id']));
    expect([...idsOf('POST')].filter((id) => id !== undefined)).toHaveLength(2);
    opened.pool.endSession('anna');
    await expect.poll(() => idsOf('DELETE').size).toBe(1);
    expect(opened.pool.statuses()[0]?.isolation?.instances?.running).toBe(1);
  });

  it('is reported where the server does not tell connections apart', async () => {
    await using server = await serving(serveModernHttp(createBehaviours()));
    const endpoint = { type: 'http', url: server.url, headers: {} } as const;
    await using opened = openPool(anUpstream(endpoint, { isolation: 'session' }));
    await opened.observed(
      (seen) => seen.kind === 'diagnostic' && seen.message.includes('gives connections no session id'),
    );
  });
});

describe('an upstream whose isolation is left to the gateway', () => {
  const auto = { isolation: 'auto' } as const;

  it('is isolated where its tools drive a browser, which the status explains', async () => {
    await using opened = openPool(aBrowser(auto));
    expect(await pidOf(opened, anna)).not.toBe(await pidOf(opened, bert));
    const evidence = ['a browser: browser_navigate, browser_click'];
    expect(opened.pool.statuses()[0]?.isolation).toMatchObject({ mode: 'session', from: 'evidence', evidence });
  });

  it('is called directly where nothing speaks of state in its process', async () => {
    await using opened = openPool(anUpstream(behaviourServer(), auto));
    const pids = await Promise.all([anna, bert].map((caller) => opened.call('pid', {}, { caller }).then(textOf)));
    expect(new Set(pids).size).toBe(1);
    expect(opened.pool.upstreams.get('one')).toBeInstanceOf(ManagedUpstream);
    expect(opened.pool.statuses()[0]).toMatchObject({
      state: 'ready',
      isolation: { mode: 'shared', from: 'evidence' },
    });
  });

  it('is shared by all calls where one client has the process for itself', () => {
    const around = { observe: () => undefined, binDirectories: [], clientInfo: { name: 'test', version: '0' } };
    const { upstreams } = createUpstreamPool([aBrowser(auto)], around, { oneClient: true });
    expect(upstreams.get('one')).toBeInstanceOf(ManagedUpstream);
  });
});

describe('an upstream that is isolated by client', () => {
  const config = aBrowser({ isolation: 'client' });

  it('is one for all sessions of an authenticated client, and outlives each of them', async () => {
    await using opened = openPool(config);
    const pid = await pidOf(opened, session('one', 'anna'));
    opened.pool.endSession('one');
    expect(await pidOf(opened, session('two', 'anna'))).toBe(pid);
    expect(await pidOf(opened, session('three', 'bert'))).not.toBe(pid);
  });

  it('is one for each session where clients do not authenticate', async () => {
    await using opened = openPool(config);
    const pid = await pidOf(opened, anna);
    expect(await pidOf(opened, bert)).not.toBe(pid);
    opened.pool.endSession('anna');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

/** What one of two clients does. Values carry the name of the client, so that they are known wherever they show up. */
interface Step {
  readonly who: 'anna' | 'bert';
  readonly what: 'navigate' | 'click' | 'back' | 'cookie' | 'look';
  readonly value: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    who: fc.constantFrom('anna' as const, 'bert' as const),
    what: fc.constantFrom('navigate' as const, 'click' as const, 'back' as const, 'cookie' as const, 'look' as const),
    value: fc.nat(5),
  }),
  { minLength: 2, maxLength: 14 },
);

function toCall({ who, what, value }: Step): readonly [tool: string, args: JsonObject] {
  const own = `${who}-${value}`;
  switch (what) {
    case 'navigate':
      return ['browser_navigate', { url: `https://${own}.example` }];
    case 'click':
      return ['browser_click', { ref: own }];
    case 'back':
      return ['browser_navigate_back', {}];
    case 'cookie':
      return ['browser_set_cookie', { name: own, value: own }];
    default:
      return ['browser_snapshot', {}];
  }
}

/** Runs the steps of two callers, and fails where an answer shows a value of the other. */
async function expectApart(
  opened: OpenedPool,
  callers: Record<Step['who'], Caller>,
  sequence: readonly Step[],
  together: boolean,
): Promise<void> {
  const run = async (step: Step): Promise<void> => {
    const [tool, args] = toCall(step);
    const answer = textOf(await opened.call(tool, args, { caller: callers[step.who] }));
    expect(answer).not.toContain(step.who === 'anna' ? 'bert' : 'anna');
  };
  if (together) await Promise.all(sequence.map(run));
  else for (const step of sequence) await run(step);
}

describe('two clients of an upstream that is shared', () => {
  it('see each other, which the same sequences find', async () => {
    await using opened = openPool(aBrowser({ isolation: 'shared' }));
    const property = fc.asyncProperty(steps, fc.boolean(), (sequence, together) =>
      expectApart(opened, { anna, bert }, sequence, together),
    );
    expect((await fc.check(property, { numRuns: 60, endOnFailure: true })).failed).toBe(true);
  });
});

describe.each([
  ['session', session('anna'), session('bert')],
  ['client', session('one', 'anna'), session('two', 'bert')],
] as const)('two clients of an upstream that is isolated by %s', (isolation, first, second) => {
  it('never see anything of each other in any sequence of calls, one after the other or at the same time', async () => {
    await using opened = openPool(aBrowser({ isolation }));
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), (sequence, together) =>
        expectApart(opened, { anna: first, bert: second }, sequence, together),
      ),
      { numRuns: 60 },
    );
    expect(opened.pool.statuses()[0]?.isolation?.instances?.running).toBe(2);
  });
});

interface BrowserState {
  readonly page: string;
  readonly history: readonly string[];
  readonly cookies: Readonly<Record<string, string>>;
  readonly clicks: readonly string[];
}

const FRESH: BrowserState = { page: 'about:blank', history: [], cookies: {}, clicks: [] };

/** What a browser's state is after a step of its only user. */
function advance(state: BrowserState, { who, what, value }: Step): BrowserState {
  const own = `${who}-${value}`;
  const history = what === 'back' ? state.history.slice(0, -1) : [...state.history, `https://${own}.example`];
  switch (what) {
    case 'navigate':
    case 'back':
      return { ...state, history, page: history.at(-1) ?? FRESH.page };
    case 'click':
      return { ...state, clicks: [...state.clicks, own] };
    case 'cookie':
      return { ...state, cookies: { ...state.cookies, [own]: own } };
    default:
      return state;
  }
}

describe('two sessions that end and come again', () => {
  it('each have the state of their own calls since they began, and no other', async () => {
    await using opened = openPool(aBrowser());
    const states = { anna: FRESH, bert: FRESH };
    const sometimesEnding = fc.array(fc.tuple(steps, fc.constantFrom('anna' as const, 'bert' as const)), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(sometimesEnding, async (parts) => {
        for (const [sequence, ending] of parts) {
          for (const step of sequence) {
            states[step.who] = advance(states[step.who], step);
            const [tool, args] = toCall(step);
            expect(await ask(opened, session(step.who), tool, args)).toEqual(states[step.who]);
          }
          opened.pool.endSession(ending);
          states[ending] = FRESH;
        }
      }),
      { numRuns: 8 },
    );
  });
});

describe.skipIf(process.platform !== 'linux')('two hundred isolated sessions', () => {
  it(
    'have at most twenty processes at once, each its own, and leave none behind',
    async () => {
      const opened = openPool(aBrowser());
      await opened.settled;
      const seen = new Set<number>();
      for (let wave = 0; wave < 10; wave += 1) {
        const callers = Array.from({ length: 20 }, (_, index) => session(`session-${wave}-${index}`));
        const pids = await Promise.all(callers.map((caller) => pidOf(opened, caller)));
        for (const pid of pids) seen.add(pid);
        expect(markedProcesses().length).toBeLessThanOrEqual(20);
        await expect(pidOf(opened, session(`late-${wave}`))).rejects.toMatchObject({
          details: { reason: 'instances_in_use', max_instances: 20 },
        });
        for (const { sessionId } of callers) opened.pool.endSession(sessionId);
      }
      expect(seen.size).toBe(200);
      await opened.pool.close();
      expect(markedProcesses()).toEqual([]);
    },
    minutes(4),
  );
});
