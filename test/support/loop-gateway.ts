import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import type { SafetyMode } from '../../src/config/safety-config.js';
import { startReceiver } from '../unit/policy/approvals/webhook-receiver.js';
import { dangerEntry } from './danger-upstream.js';
import { openLiveGateway } from './live-gateway.js';
import type { ReplayServer } from './replay-server.js';

const TOKENS = { alice: 'alice-has-a-long-token', bob: 'bob-has-a-long-token' };
const OPERATOR = 'operator-has-a-long-token';
export const WRONG_CODE = 'VC-0000-0000-0000-0000-0000-0000-0000';

export interface LoopSettings {
  readonly mode?: SafetyMode;
  readonly loop?: JsonObject;
  readonly store?: object;
  readonly more?: object;
}

/** A gateway with the loop, clients that authenticate, and a receiver of codes. */
export async function openLoopOver(
  upstream: ReplayServer,
  { mode = 'enforcing', loop = {}, store = { type: 'memory' }, more = {} }: LoopSettings,
) {
  const receiver = await startReceiver();
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const dataDir = await mkdtemp(join(tmpdir(), 'loop-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const webhook = { url: `${receiver.url}/codes`, secret: 'a-secret-of-the-webhook' };
  const opened = await openLiveGateway({
    dataDir,
    store,
    clients: Object.fromEntries(Object.entries(TOKENS).map(([name, token]) => [name, { token }])),
    policy: { approvals: { operators: { omar: { token: OPERATOR } } } },
    audit: { calls: 'all', sync: true },
    safetyLoop: {
      mode,
      startApproval: 'none',
      deny: ['drop_*'],
      requiresApproval: ['git push*'],
      autoApprove: ['look at*'],
      challenge: { channels: { webhook } },
      ...loop,
    },
    mcpServers: { demo: dangerEntry(upstream, 'certified') },
    ...more,
  });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  /** Everything that clients got, as text. */
  const wire: string[] = [];
  const connect = async (who: keyof typeof TOKENS, era: 'legacy' | 'modern' = 'legacy') => {
    const client = await opened.connect('http', era, TOKENS[who]);
    const call = async (operation: string, params: JsonObject = {}) => {
      const answer = await opened.call(client, operation, params);
      wire.push(JSON.stringify(answer));
      return answer;
    };
    const start = (element_name: string, params: JsonObject = {}) => call('execute_agent', { element_name, ...params });
    const step = (element_name: string, next_action_hint: string, params: JsonObject = {}) =>
      call('record_execution_step', { element_name, next_action_hint, ...params });
    return { client: client as Client, call, start, step };
  };
  const codeOf = async (challenge: string): Promise<string> => {
    for (let count = 1; ; count += 1) {
      await receiver.received(count);
      const { challenge: about, code } = JSON.parse(receiver.posts[count - 1]?.body ?? '{}');
      if (about?.id === challenge) return code;
    }
  };
  const admin = async (path: string, body?: JsonObject) => {
    const response = await fetch(new URL(path, opened.url), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${OPERATOR}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
    return { status: response.status, body: (await response.json()) as any };
  };
  return { ...opened, dataDir, receiver, wire, connect, codeOf, admin };
}

/** The id of the challenge that an agent is given. */
export const challengeIn = (answer: { readonly data?: { readonly notifications?: readonly JsonObject[] } }): string => {
  const ids = (answer.data?.notifications ?? []).map((each) => (each['metadata'] as JsonObject)?.['verificationId']);
  return String(ids.find((id) => typeof id === 'string'));
};
