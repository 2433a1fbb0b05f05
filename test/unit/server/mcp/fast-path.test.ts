import { classifyInboundRequest } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clientNameOf,
  headersAgree,
  isPlainHandshake,
  recogniseFastRequest,
} from '../../../../src/server/mcp/fast-path.js';
import { MODERN_META } from '../../../support/raw-http.js';

const call = (params: object = {}, rest: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'read', arguments: {}, ...params },
  ...rest,
});
const modern = (meta: object = {}, rest: object = {}) => call({ _meta: { ...MODERN_META, ...meta }, ...rest });

describe('recogniseFastRequest', () => {
  it('recognises well-formed calls of both eras', () => {
    expect(recogniseFastRequest(call())).toMatchObject({ era: 'legacy', id: 1, name: 'read', clientName: undefined });
    expect(recogniseFastRequest(modern())).toMatchObject({ era: 'modern', name: 'read', clientName: 'raw' });
  });

  it('accepts arguments of any type, which the gateway refuses itself', () => {
    for (const args of [undefined, null, 'text', [1]])
      expect(recogniseFastRequest(call({ arguments: args }))).toBeDefined();
  });

  it('recognises lists without a cursor, and ping in the legacy era only', () => {
    const list = { jsonrpc: '2.0', id: 'a', method: 'tools/list' };
    expect(recogniseFastRequest(list)).toMatchObject({ id: 'a', era: 'legacy' });
    expect(recogniseFastRequest({ ...list, params: { cursor: 'x' } })).toBeUndefined();
    expect(recogniseFastRequest({ ...list, method: 'ping' })).toMatchObject({ method: 'ping' });
    expect(recogniseFastRequest({ ...list, method: 'ping', params: { _meta: MODERN_META } })).toBeUndefined();
  });

  it.each([
    ['no object', 'text'],
    ['an array', [call()]],
    ['another JSON-RPC', call({}, { jsonrpc: '1.0' })],
    ['no id', call({}, { id: undefined })],
    ['a null id', call({}, { id: null })],
    ['a fractional id', call({}, { id: 1.5 })],
    ['another method', call({}, { method: 'tools/calls' })],
    ['an inherited method name', call({}, { method: 'constructor' })],
    ['params that are no object', call({}, { params: [] })],
    ['no tool name', call({ name: 5 })],
    ['a _meta that is no object', call({ _meta: 'x' })],
    ['a progress token that is no id', call({ _meta: { progressToken: {} } })],
    ['another modern version', modern({ 'io.modelcontextprotocol/protocolVersion': '2099-01-01' })],
    ['a version that is no string', modern({ 'io.modelcontextprotocol/protocolVersion': null })],
    ['no capabilities', modern({ 'io.modelcontextprotocol/clientCapabilities': undefined })],
    ['malformed client info', modern({ 'io.modelcontextprotocol/clientInfo': { name: 'x' } })],
  ])('leaves a message with %s to the SDK', (_case, message) => {
    expect(recogniseFastRequest(message)).toBeUndefined();
  });
});

describe('headersAgree', () => {
  const none = { protocolVersion: undefined, method: undefined, name: undefined };
  const all = { protocolVersion: '2026-07-28', method: 'tools/call', name: 'read' };
  const legacy = recogniseFastRequest(call())!;
  const request = recogniseFastRequest(modern())!;

  it('requires every header of a modern request, and at most the version of a legacy one', () => {
    expect(headersAgree(request, all)).toBe(true);
    for (const key of ['protocolVersion', 'method', 'name']) {
      expect(headersAgree(request, { ...all, [key]: undefined })).toBe(false);
      expect(headersAgree(request, { ...all, [key]: 'other' })).toBe(false);
    }
    expect(headersAgree(legacy, none)).toBe(true);
    expect(headersAgree(legacy, { ...none, protocolVersion: '2025-06-18' })).toBe(true);
    expect(headersAgree(legacy, { ...none, protocolVersion: '2026-07-28' })).toBe(false);
  });
});

describe('clientNameOf', () => {
  it('reads handshakes and envelopes, and no malformed name', () => {
    expect(clientNameOf({ params: { clientInfo: { name: 'a' } } })).toBe('a');
    expect(clientNameOf({ params: { clientInfo: { name: `a\n${'b'.repeat(1_000)}` } } })).toMatch(/^a b{97}…$/);
    expect(clientNameOf(modern())).toBe('raw');
    for (const message of [null, 5, {}, { params: 1 }, { params: { clientInfo: 'x', _meta: 7 } }]) {
      expect(clientNameOf(message)).toBeUndefined();
    }
  });
});

describe('isPlainHandshake', () => {
  const NO_HEADERS = { protocolVersion: undefined, method: undefined, name: undefined };

  it('recognises what ordinary clients send', () => {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    expect(isPlainHandshake({ jsonrpc: '2.0', id: 1, method: 'initialize', params }, NO_HEADERS)).toBe(true);
    const headers = { ...NO_HEADERS, protocolVersion: '2025-06-18' };
    expect(isPlainHandshake({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).toBe(true);
  });

  it("recognises nothing that the SDK's classifier does not call legacy", () => {
    const member = (...values: readonly unknown[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    const messages = fc.record({
      jsonrpc: fc.constantFrom('2.0', '1.0'),
      id: member(1, 'a', 1.5, null, {}),
      method: fc.constantFrom('initialize', 'notifications/initialized', 'ping'),
      params: member({}, { protocolVersion: '2025-06-18' }, { _meta: MODERN_META }, { _meta: {} }, null, [], 'text'),
      result: member({}, 1),
      error: member({ code: 1, message: 'x' }),
    });
    const versions = fc.constantFrom(undefined, '2025-06-18', '2024-11-05', '2026-07-28', 'unknown');
    const methods = fc.constantFrom(undefined, 'initialize', 'tools/call');
    fc.assert(
      fc.property(messages, versions, methods, (message, protocolVersion, method) => {
        const body: unknown = JSON.parse(JSON.stringify(message));
        if (!isPlainHandshake(body, { protocolVersion, method, name: undefined })) return;
        const { kind } = classifyInboundRequest({
          httpMethod: 'POST',
          body,
          ...(protocolVersion === undefined ? {} : { protocolVersionHeader: protocolVersion }),
          ...(method === undefined ? {} : { mcpMethodHeader: method }),
        });
        expect(kind).toBe('legacy');
      }),
      { numRuns: 1000 },
    );
  });
});
