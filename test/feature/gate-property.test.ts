import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import type { RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import type { ReplayServer } from '../support/replay-server.js';

/** Gated by token, gated by a person, and denied. */
const OPERATIONS = ['do_destructive', 'do_destructive_too', 'do_reversible', 'do_dangerous'] as const;

/** Its tokens are never accepted, because no person answers in this test. */
const BY_PERSON = 'do_reversible';

const COUNTS = [1, 2] as const;

/** One attempt of a model, with the earlier token that it sends. */
interface Step {
  readonly who: 0 | 1;
  readonly operation: (typeof OPERATIONS)[number];
  readonly count: number;
  /** The index of an earlier token, from the last; null for none. */
  readonly token: number | null;
  readonly name: '_confirmation' | 'confirmation_token';
  readonly spoil: 'nothing' | 'case' | 'cut' | 'swap';
  /** Repeats the call that the token was given for, instead of its own. */
  readonly matching: boolean;
}

const STEP: fc.Arbitrary<Step> = fc.record({
  who: fc.constantFrom(0, 1),
  operation: fc.constantFrom(...OPERATIONS),
  count: fc.constantFrom(...COUNTS),
  token: fc.option(fc.nat({ max: 3 }), { freq: 6 }),
  name: fc.constantFrom('_confirmation', 'confirmation_token'),
  spoil: fc.constantFrom('nothing', 'nothing', 'nothing', 'case', 'cut', 'swap'),
  matching: fc.boolean(),
});

/** The call that a token was issued for, and whether it was used. */
interface Given extends Pick<Step, 'who' | 'operation' | 'count'> {
  readonly token: string;
  used: boolean;
}

let upstream: ReplayServer;
let gateway: RunningGateway;
let clients: readonly [McpClient, McpClient];

beforeAll(async () => {
  upstream = await startDangerUpstream();
  gateway = await hostGateway({
    clients: { alice: { token: 'alice-has-a-long-token' }, bob: { token: 'bob-has-a-long-token-too' } },
    policy: {
      rules: [{ match: { operation: BY_PERSON }, decision: 'confirm', requires: 'human' }],
      confirmation: { maxIssuedPerMinute: 100_000, maxFailuresPerMinute: 100_000 },
    },
    mcpServers: { demo: dangerEntry(upstream) },
  });
  const connect = (token: string) => connectClient(gateway.url, 'auto', { token });
  clients = [await connect('alice-has-a-long-token'), await connect('bob-has-a-long-token-too')];
});

afterAll(async () => {
  for (const client of clients ?? []) await client[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

const SPOILED: Readonly<Record<Step['spoil'], (token: string) => string>> = {
  nothing: (token) => token,
  case: (token) => token.toUpperCase(),
  cut: (token) => token.slice(0, -1),
  swap: (token) => `${token.slice(0, 10)}${token.slice(11)}${token[10]}`,
};

const tokenIn = ({ error }: Answer): string | undefined => {
  const token = error?.details?.['confirmation_token'];
  return typeof token === 'string' ? token : undefined;
};

/** Runs one sequence; returns how many calls reached the upstream, and how many a correct gateway permits. */
async function play(steps: readonly Step[]): Promise<{ readonly reached: number; readonly permitted: number }> {
  const given: Given[] = [];
  const before = upstream.calls.length;
  let permitted = 0;
  for (const step of steps) {
    const earlier = step.token === null ? undefined : given.at(-1 - step.token);
    const { who, operation, count } = step.matching && earlier !== undefined ? earlier : step;
    const sent = earlier === undefined ? {} : { [step.name]: SPOILED[step.spoil](earlier.token) };
    if (earlier !== undefined && isValid(earlier, step, { who, operation, count })) {
      earlier.used = true;
      permitted += 1;
    }
    const answer = await clients[who].call(EXECUTE, operation, { count, ...sent });
    const fresh = tokenIn(answer);
    if (fresh !== undefined && given.every((each) => each.token !== fresh)) {
      given.push({ token: fresh, who, operation, count, used: false });
    }
  }
  return { reached: upstream.calls.length - before, permitted };
}

/** Whether a correct gateway permits the call with this token. */
function isValid(earlier: Given, { spoil }: Step, call: Pick<Step, 'who' | 'operation' | 'count'>): boolean {
  if (earlier.used || earlier.operation === BY_PERSON || SPOILED[spoil](earlier.token) !== earlier.token) return false;
  return earlier.who === call.who && earlier.operation === call.operation && earlier.count === call.count;
}

describe('no sequence of calls', () => {
  it('brings a gated operation to the upstream without a matching, unexpired, unused confirmation', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 1, maxLength: 16 }), async (steps) => {
        const { reached, permitted } = await play(steps);
        expect(reached).toBe(permitted);
      }),
      { numRuns: 60 },
    );
  });
});
