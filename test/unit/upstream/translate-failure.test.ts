import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { OperationError } from '../../../src/base/protocol/operation-error.js';
import { describeConnectFailure, translateFailure } from '../../../src/upstream/translate-failure.js';
import { answerTooLong, UpstreamFault } from '../../../src/upstream/transport/fault.js';

const call = { upstream: 'one', tool: 'do_it', repeatable: false, arguments: {}, words: 'clean' } as const;
const http = (status: number, data: object = {}): SdkHttpError =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `HTTP ${status}`, { status, ...data });

describe('translateFailure', () => {
  it.each([
    [400, 'VALIDATION_INVALID_TYPE'],
    [422, 'VALIDATION_INVALID_TYPE'],
    [401, 'PERMISSION_DENIED'],
    [403, 'PERMISSION_DENIED'],
    [404, 'NOT_FOUND_RESOURCE'],
    [409, 'CONFLICT_ALREADY_EXISTS'],
    [429, 'RATE_LIMIT_EXCEEDED'],
    [500, 'INTERNAL_ERROR'],
    [503, 'INTERNAL_ERROR'],
    [418, 'INTERNAL_ERROR'],
  ])('maps HTTP status %i to %s', (status, code) => {
    expect(translateFailure(http(status, { text: ' its words ' }), call)).toMatchObject({
      code,
      details: { upstream: 'one', http_status: status, upstream_error: 'its words' },
    });
  });

  it.each([
    ['7', 7],
    [undefined, 1],
    ['soon', 1],
    [new Date(0).toUTCString(), 0],
    ['86400', 300],
  ])('reads Retry-After %j as %i seconds', (retryAfter, seconds) => {
    expect(translateFailure(http(429, { retryAfter }), call).details).toMatchObject({ retry_after_seconds: seconds });
  });

  it.each([
    [-32602, 'VALIDATION_INVALID_TYPE'],
    [-32002, 'NOT_FOUND_RESOURCE'],
    [-32603, 'INTERNAL_ERROR'],
    [-32601, 'INTERNAL_ERROR'],
  ])('maps JSON-RPC code %i to %s', (rpcCode, code) => {
    const error = ProtocolError.fromError(rpcCode, 'its words\nand more');
    expect(translateFailure(error, call)).toMatchObject({
      code,
      message: expect.stringMatching(/: 'its words'$/),
      details: { upstream: 'one', upstream_error: 'its words\nand more', upstream_code: rpcCode },
    });
  });

  it.each([
    [new UpstreamFault('lost', 'x'), { reason: 'connection_lost', retryable: false, outcome: 'unknown' }],
    [
      new UpstreamFault('lost', 'x', { undelivered: true }),
      { reason: 'connection_lost', retryable: true, outcome: 'not_run' },
    ],
    [new UpstreamFault('exited', 'x'), { reason: 'connection_lost', retryable: false, outcome: 'unknown' }],
    [new UpstreamFault('timeout', 'x'), { reason: 'timeout', retryable: false, outcome: 'unknown' }],
    [new UpstreamFault('cancelled', 'x'), { reason: 'cancelled', retryable: false }],
    [
      new UpstreamFault('unavailable', 'x', { retryAfterMs: 9 }),
      { reason: 'unavailable', retryable: true, retry_after_ms: 9 },
    ],
    [new UpstreamFault('malformed', 'x'), { reason: 'invalid_answer', retryable: false }],
    [new UpstreamFault('input-required', 'x'), { reason: 'input_required', retryable: false }],
    [new SyntaxError('Unexpected token'), { reason: 'invalid_answer', retryable: false }],
  ])('says what became of the call: %s', (error, details) => {
    expect(translateFailure(error, call)).toMatchObject({
      code: 'INTERNAL_ERROR',
      details: { upstream: 'one', ...details },
    });
  });

  it.each([
    ['a write', false, /check before you send it again/],
    ['a read', true, /safe to send the call again/],
  ])('says what to do after the loss of %s', (_name, repeatable, words) => {
    expect(translateFailure(new UpstreamFault('lost', 'x'), { ...call, repeatable }).message).toMatch(words);
  });

  const outgrown = new UpstreamFault('lost', 'x', { cause: new UpstreamFault('outgrown', 'x') });
  it.each([
    ['a lost connection', new UpstreamFault('lost', 'x')],
    ['a limit of memory', outgrown],
    ['a timeout', new UpstreamFault('timeout', 'x')],
    ['HTTP 502', http(502)],
    ['HTTP 503', http(503)],
    ['HTTP 504', http(504)],
  ])('calls a write whose outcome is unknown after %s not retryable, and a read retryable', (_name, error) => {
    const [write, read] = [false, true].map((repeatable) => translateFailure(error, { ...call, repeatable }));
    expect(write?.details).toMatchObject({ retryable: false, outcome: 'unknown' });
    expect(write?.message).toMatch(/may or may not have run: check before you send it again$/);
    expect(read?.details).toMatchObject({ retryable: true, outcome: 'unknown' });
  });

  it('names the limit that an answer has exceeded', () => {
    expect(translateFailure(answerTooLong(1_000), call)).toMatchObject({
      code: 'VALIDATION_PAYLOAD_TOO_LARGE',
      details: { upstream: 'one', limit_type: 'upstream_answer_size', limit_value: 1_000, unit: 'bytes' },
    });
  });

  it('keeps the machine out of the message and the cause for the log', () => {
    const fault = new UpstreamFault('exited', 'exited with code 1; its last words: /srv/app/index.js:12 token=abc');
    const error = translateFailure(fault, call);
    expect(JSON.stringify(error.toFailure())).not.toMatch(/srv|token|code 1/);
    expect(error.cause).toBe(fault);
  });

  it('leaves an answer that is one already', () => {
    const error = new OperationError('NOT_FOUND_RESOURCE', 'no');
    expect(translateFailure(error, call)).toBe(error);
  });
});

describe('describeConnectFailure', () => {
  it('finds the fault that the SDK wrapped', () => {
    const cause = new UpstreamFault('lost', 'connection refused at http://127.0.0.1:9/mcp');
    const wrapped = new SdkError(SdkErrorCode.EraNegotiationFailed, 'probe failed', {}, { cause });
    expect(describeConnectFailure(wrapped)).toBe('connection refused at http://127.0.0.1:9/mcp');
  });

  it('says in words what a status means', () => {
    expect(describeConnectFailure(http(401))).toBe('HTTP 401: needs credentials');
    expect(describeConnectFailure(http(502))).toBe('HTTP 502');
  });

  it('quotes a refusal', () => {
    const refusal = ProtocolError.fromError(-32000, 'licence expired');
    expect(describeConnectFailure(refusal)).toBe('it refused to connect: licence expired (-32000)');
  });
});
