import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import { ALL_ABILITIES, NO_ABILITIES, type Question } from '../../../../src/base/protocol/ask.js';
import { prepareQuestion, readAnswer } from '../../../../src/upstream/questions/prepare-question.js';

const ASKER = { name: 'shop', asks: { elicitation: 'allow', sampling: 'allow', roots: 'allow' } } as const;

const form = (properties: JsonObject, message = 'Which?'): Question => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties, required: ['a', 'gone'] } },
});
const page = (url: unknown): Question => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Pay', url, elicitationId: 'e' },
});
const text = (params: JsonObject): Question => ({ method: 'sampling/createMessage', params });

const prepare = (question: Question, abilities = ALL_ABILITIES) => prepareQuestion(question, abilities, ASKER).params;

describe('a form', () => {
  it('names its server, and holds nothing but plain fields', () => {
    const asked = form(
      { a: { type: 'string', title: 'A\u200b', enum: ['x', 'y'], $ref: '#/x', pattern: '.*' }, b: { type: 'boolean' } },
      'Which\u202e one?',
    );
    expect(prepare(asked)).toEqual({
      message: "The server 'shop' asks: Which one?",
      requestedSchema: {
        type: 'object',
        properties: { a: { type: 'string', title: 'A', enum: ['x', 'y'] }, b: { type: 'boolean' } },
        required: ['a'],
      },
    });
  });

  it.each([
    [
      { type: 'array', items: { type: 'string', enum: ['x'] } },
      { type: 'array', items: { type: 'string', enum: ['x'] } },
    ],
    [
      { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } },
      { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } },
    ],
    [
      { type: 'string', oneOf: [{ const: 'x' }] },
      { type: 'string', oneOf: [{ const: 'x', title: 'x' }] },
    ],
    [
      { type: 'integer', minimum: 1, default: 2 },
      { type: 'integer', minimum: 1, default: 2 },
    ],
    [
      { type: 'string', format: 'email', maxLength: 9 },
      { type: 'string', format: 'email', maxLength: 9 },
    ],
  ])('keeps the field %j', (field, kept) => {
    expect(prepare(form({ a: field }))).toMatchObject({ requestedSchema: { properties: { a: kept } } });
  });

  it.each([
    ['an object in it', { a: { type: 'object', properties: {} } }],
    ['a list without choices', { a: { type: 'array', items: { type: 'string' } } }],
    ['a field without a type', { a: {} }],
    ['a field with an inherited name as its type', { a: { type: 'constructor' } }],
    ['too many fields', Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`f${at}`, { type: 'string' }]))],
    ['a password', { password: { type: 'string' } }],
    ['a key by another spelling', { apiKey: { type: 'string' } }],
    ['a secret that only its title names', { a: { type: 'string', title: 'Access token' } }],
    ['a field of the format of passwords', { a: { type: 'string', format: 'password' } }],
  ])('is refused with %s', (_case, properties) => {
    expect(() => prepare(form(properties))).toThrow();
  });
});

describe('a page', () => {
  it('is shown with its host', () => {
    expect(prepare(page('https://pay.example/x?y=1'))).toEqual({
      mode: 'url',
      message: "The server 'shop' asks you to open a page of pay.example: Pay",
      url: 'https://pay.example/x?y=1',
      elicitationId: 'e',
    });
  });

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'pay.example', 'https://user:pw@pay.example/', 7, undefined])(
    'is refused at %j',
    (url) => {
      expect(() => prepare(page(url))).toThrow("'url'");
    },
  );
});

describe('a request for a text', () => {
  it('is passed on without the context of other servers', () => {
    expect(prepare(text({ messages: [], maxTokens: 5, includeContext: 'allServers', temperature: 1 }))).toEqual({
      messages: [],
      maxTokens: 5,
      temperature: 1,
    });
  });

  it.each([
    [{ messages: 'x' }],
    [{ messages: Array.from({ length: 201 }, () => ({})) }],
    [{ messages: [{ content: 'x'.repeat(1_000_001) }] }],
  ])('is refused where it is not bounded', (params) => {
    expect(() => prepare(text(params))).toThrow();
  });
});

it.each([
  [form({ a: { type: 'string' } }), NO_ABILITIES, 'does not support elicitation'],
  [form({ a: { type: 'string' } }), { ...NO_ABILITIES, url: true }, "mode 'form'"],
  [page('https://pay.example'), { ...NO_ABILITIES, form: true }, "mode 'url'"],
  [text({ messages: [] }), NO_ABILITIES, 'does not support sampling'],
  [text({ messages: [], tools: [] }), { ...NO_ABILITIES, sampling: true }, 'tools in sampling'],
  [{ method: 'roots/list', params: {} } as const, NO_ABILITIES, 'Roots not supported'],
])('a client is not asked what it has not declared (%#)', (question, abilities, message) => {
  expect(() => prepare(question, abilities)).toThrow(message);
});

it.each(['elicitation', 'sampling', 'roots'] as const)('an operator can forbid %s', (kind) => {
  const asker = { ...ASKER, asks: { ...ASKER.asks, [kind]: 'deny' } } as typeof ASKER;
  const questions = {
    elicitation: form({ a: { type: 'string' } }),
    sampling: text({ messages: [] }),
    roots: { method: 'roots/list', params: {} } as const,
  };
  expect(() => prepareQuestion(questions[kind], ALL_ABILITIES, asker)).toThrow('operator');
});

it('an answer is the action and, where it was accepted, the content', () => {
  expect(readAnswer('elicitation/create', { action: 'decline', content: { a: 1 }, more: 1 })).toEqual({
    result: { action: 'decline' },
    outcome: 'decline',
  });
  expect(() => readAnswer('elicitation/create', { action: 'yes' })).toThrow();
  expect(() => readAnswer('roots/list', { roots: 'x' })).toThrow();
});
