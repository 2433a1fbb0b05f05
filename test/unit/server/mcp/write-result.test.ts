import { describe, expect, it } from 'vitest';
import { readExactResult } from '../../../../src/base/json/exact-result.js';
import type { JsonObject } from '../../../../src/base/json/json.js';
import { createResultWriter, forClientWith, statusOf, writeProgress } from '../../../../src/server/mcp/write-result.js';
import { toReply } from '../../../support/fake-gateway.js';

const info = { name: 'n', version: '1' };
const writer = createResultWriter(info, { errors: 'all', structuredContent: false });
const identity = { 'io.modelcontextprotocol/serverInfo': info };

describe('the result writer', () => {
  it('drops members of an upstream that the gateway writes itself', () => {
    const extra = { resultType: 'input_required', structuredContent: 1, content: [], later: true };
    const meta = { 'io.modelcontextprotocol/serverInfo': { name: 'upstream' } };
    const { result } = JSON.parse(writer.callResult(1, toReply(1, { extra, meta }), 'modern'));
    expect(result).toMatchObject({ resultType: 'complete', later: true, _meta: identity, content: [{ type: 'text' }] });
    expect(result).not.toHaveProperty('structuredContent');
  });

  it.each([
    ['all', 'NOT_FOUND_RESOURCE', true],
    ['all', 'INTERNAL_ERROR', true],
    ['unrecoverable', 'NOT_FOUND_RESOURCE', undefined],
    ['unrecoverable', 'INTERNAL_ERROR', true],
  ] as const)('where it marks %s failures, marks %s: %s', (errors, code, marked) => {
    const reply = toReply(null, { code, isError: true });
    const { result } = JSON.parse(
      createResultWriter(info, { errors, structuredContent: false }).callResult(1, reply, 'legacy'),
    );
    expect(result.isError).toBe(marked);
  });

  it('answers a call of an unknown tool with a JSON-RPC error of the same text', () => {
    const failure = { success: false, error: { code: 'NOT_FOUND_OPERATION', message: 'There is no such tool.' } };
    const reply = toReply(null, { text: JSON.stringify(failure), isError: true, protocolError: 'unknown-tool' });
    const answer = JSON.parse(writer.callResult(1, reply, 'modern'));
    expect(answer.error).toEqual({ code: -32602, message: 'There is no such tool.', data: failure });
  });

  it('answers a call that needs a capability of the client with what the server said, in the era that knows this error', () => {
    const details = { upstream: 'a', upstream_data: { requiredCapabilities: { sampling: {} } } };
    const failure = { success: false, error: { code: 'INTERNAL_ERROR', message: 'Needs sampling', details } };
    const reply = toReply(null, { text: JSON.stringify(failure), isError: true, protocolError: 'missing-capability' });
    const { error } = JSON.parse(writer.callResult(1, reply, 'modern'));
    expect(error).toEqual({ code: -32021, message: 'Needs sampling', data: details.upstream_data });
    expect(JSON.parse(writer.callResult(1, reply, 'legacy')).result.isError).toBe(true);
    expect([statusOf(reply, 'modern'), statusOf(reply, 'legacy')]).toEqual([400, 200]);
  });

  it('says that a capability is missing only where the client has not declared it', () => {
    const details = { upstream_data: { requiredCapabilities: { sampling: {} } } };
    const failure = { success: false, error: { code: 'INTERNAL_ERROR', message: 'Needs sampling', details } };
    const reply = toReply(null, { text: JSON.stringify(failure), isError: true, protocolError: 'missing-capability' });
    expect(forClientWith({ elicitation: {} }, reply).protocolError).toBe('missing-capability');
    expect(forClientWith({ sampling: {} }, reply).protocolError).toBeUndefined();
  });

  it('leaves absent members out of progress notifications', () => {
    expect(JSON.parse(writeProgress('t', { progress: 0.5 })).params).toEqual({ progressToken: 't', progress: 0.5 });
  });
});

it.each(['legacy', 'modern'] as const)(
  'a result of no tool is written to %s clients with the digits that it came with',
  (era) => {
    const contents = '"contents":[{"uri":"a:b","text":"x","_meta":{"id":9007199254740993,"far":1e400}}]';
    const reply = { text: `{${contents}}`, blocks: [], isError: false, code: 'OK' } as const;
    const text = String(writer.nativeResult({ id: 1, method: 'resources/read', params: { uri: 'a:b' } }, reply, era));
    expect(text).toContain(`"result":{${contents}`);
    expect(JSON.parse(text).result.resultType).toBe(era === 'modern' ? 'complete' : undefined);
  },
);

it('the result of a task that has ended stands in its state with the bytes that it came in', () => {
  const ended = toReply(null, {
    passthrough: [Buffer.from('"content":[],"structuredContent":{"id":12345678901234567890}')],
  });
  const state = { text: '{"taskId":"t","status":"completed"}', blocks: [], isError: false, code: 'OK', ended } as const;
  const written = writer.nativeResult({ id: 1, method: 'tasks/get', params: { taskId: 't' } }, state, 'modern');
  expect(typeof written).not.toBe('string');
  const text = Buffer.concat(written as readonly Buffer[]).toString('utf8');
  expect(text).toContain(
    '"result":{"content":[],"structuredContent":{"id":12345678901234567890},"resultType":"complete"',
  );
  expect(JSON.parse(text)).toMatchObject({ id: 1, result: { taskId: 't', resultType: 'complete', _meta: identity } });
});

it.each(['legacy', 'modern'] as const)(
  'what a server says beside an answer reaches %s clients with its digits',
  (era) => {
    const beside = '"more":{"id":9007199254740993},"_meta":{"id":12345678901234567890}';
    const { _meta: meta, ...extra } = readExactResult(`{${beside}}`);
    const reply = toReply(null, { extra, meta: meta as JsonObject });
    const text = writer.callResult(1, reply, era);
    expect(text).toContain('"more":{"id":9007199254740993}');
    expect(text).toContain('"_meta":{"id":12345678901234567890');
  },
);
