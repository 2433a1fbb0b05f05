import { describe, expect, it } from 'vitest';
import { takeDirectives } from '../../../../src/gateway/pipeline/decode.js';
import { anOperation } from '../../../support/an-operation.js';

const PLAIN = anOperation();
const MERGING = anOperation({ merge: { read: 'get_item' } });
const OWN = anOperation({
  parameters: [
    {
      name: 'confirmation_token',
      upstreamName: 'confirmation_token',
      place: 'params',
      required: false,
      schema: { type: 'string' },
    },
  ],
});

describe('takeDirectives', () => {
  it.each([
    ['nothing where there is no directive', PLAIN, { a: 1 }, { params: { a: 1 } }],
    ['metadata', PLAIN, { a: 1, _confirmation: 'c' }, { params: { a: 1 }, confirmation: 'c' }],
    ['the plain name', PLAIN, { a: 1, confirmation_token: 'c' }, { params: { a: 1 }, confirmation: 'c' }],
    [
      'both names when they agree',
      PLAIN,
      { _confirmation: 'c', confirmation_token: 'c' },
      { params: {}, confirmation: 'c' },
    ],
    ['null as an absent token', PLAIN, { a: 1, _confirmation: null }, { params: { a: 1 } }],
    [
      "no token from an operation's own parameter",
      OWN,
      { confirmation_token: 'x' },
      { params: { confirmation_token: 'x' } },
    ],
    [
      'metadata beside an own parameter',
      OWN,
      { confirmation_token: 'x', _confirmation: 'c' },
      { params: { confirmation_token: 'x' }, confirmation: 'c' },
    ],
  ])('takes %s', (_what, operation, params, expected) => {
    expect(takeDirectives(operation, params, () => true)).toEqual(expected);
  });

  it.each([
    ["a quota's token", PLAIN, { _quota_continue: 'q' }, { params: {}, quotaContinue: 'q' }],
    ['a condition where updates merge', MERGING, { if_match: { a: 1 } }, { params: {}, ifMatch: { a: 1 } }],
    ['null as a condition', MERGING, { if_match: null }, { params: {}, ifMatch: null }],
    ['no condition where updates do not merge', PLAIN, { if_match: 'v' }, { params: { if_match: 'v' } }],
  ])('takes %s', (_what, operation, params, expected) => {
    expect(takeDirectives(operation, params, () => true)).toEqual(expected);
  });

  it('returns the same object when there is nothing to take', () => {
    const params = { a: 1 };
    expect(takeDirectives(PLAIN, params, () => true).params).toBe(params);
  });

  it.each([
    ['a number', { _confirmation: 7 }, 'VALIDATION_INVALID_TYPE'],
    ['a list', { confirmation_token: ['c'] }, 'VALIDATION_INVALID_TYPE'],
    ['two different tokens', { _confirmation: 'a', confirmation_token: 'b' }, 'VALIDATION_INVALID_VALUE'],
  ])('refuses %s', (_what, params, code) => {
    expect(() => takeDirectives(PLAIN, params, () => true)).toThrow(expect.objectContaining({ code }));
  });

  it("leaves 'confirmation_token' among the parameters where no call can be asked to be confirmed", () => {
    const params = { a: 1, confirmation_token: 'c' };
    expect(takeDirectives(PLAIN, params, () => false)).toEqual({ params });
  });

  it.each([
    [{ _confirmaton: 'c' }, "'_confirmaton' (did you mean '_confirmation'?)"],
    [{ _quota_continued: 'c' }, "'_quota_continued' (did you mean '_quota_continue'?)"],
    [{ _if_match: 'c' }, "'_if_match' (did you mean 'if_match'?)"],
  ])('refuses %j, which would pass for metadata, and names what is meant', (params, hint) => {
    expect(() => takeDirectives(PLAIN, params, () => true)).toThrow(hint);
  });

  it.each([{ _meta: {} }, { _request_id: '7' }, { _trace: 'x' }, { _client: 'x' }, { _session_id: 'x' }])(
    'leaves %j alone, which is metadata',
    (params) => {
      expect(takeDirectives(PLAIN, params, () => true)).toEqual({ params });
    },
  );
});
