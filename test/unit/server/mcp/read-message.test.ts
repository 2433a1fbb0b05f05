import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findUnsupported, isFault, type McpRequest, readMessage } from '../../../../src/server/mcp/read-message.js';
import { findRefusal } from '../../../../src/server/mcp/receive-message.js';
import { MODERN_META } from '../../../support/raw-http.js';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const call = (params: object = {}, rest: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'read', arguments: {}, ...params },
  ...rest,
});
const modern = (meta: object = {}, rest: object = {}) => call({ _meta: { ...MODERN_META, ...meta }, ...rest });

function requestOf(message: unknown, revision?: string): McpRequest {
  const read = readMessage(message, revision);
  if (isFault(read)) throw new Error(read.message);
  return read.requests[0] as McpRequest;
}

/** The code that a message is refused with, before it is known whose it is or after; undefined where it is answered. */
function codeOf(message: unknown, revision?: string): number | undefined {
  const read = readMessage(message, revision);
  if (isFault(read)) return read.code;
  const unsupported = findUnsupported(read);
  if (unsupported !== undefined) return unsupported.code;
  return read.requests.map((request) => findRefusal(request)?.code).find((code) => code !== undefined);
}

describe('a message', () => {
  it('is a call of the era that its envelope says', () => {
    expect(requestOf(call())).toMatchObject({ era: 'legacy', id: 1, name: 'read', clientName: undefined });
    expect(requestOf(modern())).toMatchObject({ era: 'modern', name: 'read', clientName: 'raw' });
  });

  it('may have arguments of any type, which the gateway refuses itself', () => {
    for (const args of [undefined, null, 'text', [1]]) {
      expect(codeOf(call({ arguments: args }))).toBeUndefined();
      expect(codeOf(modern({}, { arguments: args }))).toBeUndefined();
    }
  });

  it.each([
    ['no object', 'text', -32600],
    ['an empty batch', [], -32600],
    ['a batch of what is no message', [call(), {}], -32600],
    ['a batch with a request of 2026-07-28', [modern()], -32600],
    ['a batch with a handshake', [call({}, { method: 'initialize' })], -32600],
    ['a batch of more than a hundred', Array.from({ length: 101 }, () => call()), -32600],
    ['another JSON-RPC', call({}, { jsonrpc: '1.0' }), -32600],
    ['a null id', call({}, { id: null }), -32600],
    ['a fractional id', call({}, { id: 1.5 }), -32600],
    ['a method that is no text', call({}, { method: 5 }), -32600],
    ['another method', call({}, { method: 'tools/calls' }), -32601],
    ['an inherited method name', call({}, { method: 'constructor' }), -32601],
    ['a method of the other era', modern({}, { level: 'info' }), undefined],
    ['params that are no object', call({}, { params: [] }), -32600],
    ['no tool name', call({ name: 5 }), -32602],
    ['a _meta that is no object', call({ _meta: 'x' }), -32600],
    ['a progress token that is no id', call({ _meta: { progressToken: {} } }), -32600],
    ['another modern version', modern({ [VERSION]: '2099-01-01' }), -32022],
    ['an earlier version in its envelope', modern({ [VERSION]: '2025-11-25' }), -32022],
    ['a version that is no string', modern({ [VERSION]: null }), -32602],
    ['no capabilities', modern({ 'io.modelcontextprotocol/clientCapabilities': undefined }), -32602],
    ['malformed client info', modern({ 'io.modelcontextprotocol/clientInfo': { name: 'x' } }), -32602],
    ['a log level that is none', modern({ 'io.modelcontextprotocol/logLevel': 'loud' }), -32602],
  ])('with %s is refused by its own code', (_case, message, code) => {
    expect(codeOf(message)).toBe(code);
  });

  it('without an envelope is of the era that its transport names, but for a handshake', () => {
    expect(codeOf(call(), '2026-07-28')).toBe(-32602);
    expect(requestOf(call(), '2025-11-25').era).toBe('legacy');
    expect(requestOf(call({}, { method: 'initialize' }), '2026-07-28').era).toBe('legacy');
  });

  it('says the name of its client as a label, and no malformed one', () => {
    const named = (name: unknown) => requestOf(call({ clientInfo: { name } })).clientName;
    expect(named('a')).toBe('a');
    expect(named(`a\n${'b'.repeat(1_000)}`)).toMatch(/^a b{97}…$/);
    expect(named(5)).toBeUndefined();
  });

  it('that is no request is never taken for one, whatever members it has', () => {
    const noise = fc.dictionary(
      fc.constantFrom('era', 'code', 'status', 'request', 'fault', 'id', 'params'),
      fc.json(),
    );
    fc.assert(
      fc.property(noise, (members) => {
        const { id: _id, ...more } = members;
        const read = readMessage({ ...more, jsonrpc: '2.0', method: 'notifications/x', params: {} }, undefined);
        expect(read).toMatchObject({ requests: [], isBatch: false });
      }),
    );
  });
});
