/**
 * What hostile servers and clients send, one entry for each way in. `tools` are what the upstream offers; `requests` are the
 * arguments of `mcp_aql`, as values or as JSON texts; `config` is merged into the gateway's configuration. Add yours here.
 */

const tool = (name, properties, rest = {}) => ({ name, inputSchema: { type: 'object', properties, ...rest } });
const call = (operation, params) => ({ operation, params });
const repeat = (count, create) => Array.from({ length: count }, (_, index) => create(index));
const members = (count, create) => Object.fromEntries(repeat(count, create));

const doubling = (keyword) => ({
  ...members(30, (index) => {
    const next = { $ref: `#/$defs/d${index + 1}` };
    return [`d${index}`, { [keyword]: [next, next] }];
  }),
  d30: { type: 'string' },
});

const PATTERNS = [
  `^${'a{0,8}'.repeat(30)}b$`,
  `^${'0{0,8}'.repeat(30)}x$`,
  `^${'a?'.repeat(25)}a{25}$`,
  '^(?:(?=(?:(?=(?:(?=(?:(?=a*)a)*)a)*)a)*)a)*$',
  '^(a|a)*$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(?:[ab]?a?b?){150}[ab]*a[ab]{100}(?:c|d)',
  '(a{1000}){1000}',
];

export const ATTACKS = [
  {
    name: 'patterns that backtrack',
    tools: PATTERNS.map((pattern, index) =>
      tool(`create_note_${index}`, { code: { type: 'string', pattern } }, { required: ['code'] }),
    ),
    requests: PATTERNS.flatMap((_, index) =>
      [{}, { code: 'a'.repeat(30) }, { code: 'ab'.repeat(100_000) }].map((params) =>
        call(`create_note_${index}`, params),
      ),
    ),
  },
  {
    name: 'a thousand patterns in one schema',
    tools: [
      tool(
        'create_note',
        members(1_000, (index) => [`p${index}`, { type: 'string', pattern: `^(?:a?b?c{0,${(index % 9) + 1}}){100}$` }]),
        {
          required: repeat(1_000, (index) => `p${index}`),
        },
      ),
    ],
    requests: [
      call('create_note', {}),
      call(
        'create_note',
        members(1_000, (index) => [`p${index}`, 'ab'.repeat(200)]),
      ),
    ],
  },
  {
    name: 'large schemas',
    tools: [10_000, 40_000].map((count) =>
      tool(
        `create_big_${count}`,
        members(count, (index) => [`p${index}`, { anyOf: repeat(4, (one) => ({ const: `${index}-${one}` })) }]),
      ),
    ),
    requests: [10_000, 40_000].flatMap((count) => [
      call(`create_big_${count}`, { p1: 'a' }),
      call(`create_big_${count}`, { q: 1 }),
    ]),
  },
  {
    name: 'references that double',
    tools: ['allOf', 'anyOf', 'oneOf'].map((keyword) =>
      tool(
        `create_${keyword.toLowerCase()}`,
        { a: { $ref: '#/$defs/d0' } },
        { $defs: doubling(keyword), required: ['a'] },
      ),
    ),
    requests: ['allof', 'anyof', 'oneof'].flatMap((name) => [
      call(`create_${name}`, { a: 'x' }),
      call(`create_${name}`, { a: 1 }),
      call(`create_${name}`, {}),
    ]),
  },
  {
    name: 'lists without repetitions',
    tools: [tool('create_set', { items: { type: 'array', uniqueItems: true, items: { type: 'object' } } })],
    requests: [call('create_set', { items: repeat(9_999, (id) => ({ id, text: 'x'.repeat(50) })) })],
  },
  {
    name: 'lists of wrong items',
    tools: [
      tool('create_list', { items: { anyOf: repeat(200, (one) => ({ type: 'array', items: { const: one } })) } }),
    ],
    requests: [call('create_list', { items: repeat(10_000, () => 'x') })],
  },
  {
    name: 'unknown names',
    tools: [
      tool(
        'create_note',
        members(200, (index) => [`parameter_number_${index}`, { type: 'string' }]),
      ),
    ],
    requests: [
      call(
        'create_note',
        members(20_000, (index) => [`parametre_${index}`, 1]),
      ),
      call('create_note', { ['x'.repeat(400_000)]: 1 }),
      call('x'.repeat(400_000), {}),
      { operations: repeat(50, (index) => call(`${'never_heard_of_'.repeat(600)}${index}`, {})) },
      { operations: repeat(50, (index) => call(`${'never_heard_of_'.repeat(16)}${index}`, {})) },
    ],
  },
  {
    name: 'deep nesting',
    tools: [tool('create_note', { text: {} })],
    requests: ['['.repeat(500_000) + ']'.repeat(500_000), '{"a":'.repeat(150_000) + '1' + '}'.repeat(150_000)].map(
      (deep) => `{"operation":"create_note","params":{"text":${deep}}}`,
    ),
  },
  {
    name: 'numbers that change',
    tools: [tool('create_note', { ids: { type: 'array' } })],
    requests: [
      `{"operation":"create_note","params":{"ids":[${repeat(9_999, () => '9007199254740993').join()}]}}`,
      `{"operation":"create_note","params":{"ids":[1${'0'.repeat(800_000)}1]}}`,
      `{"operation":"create_note","params":{"ids":[${repeat(9_999, () => '1e999').join()}]}}`,
    ],
  },
  {
    name: 'examples that multiply',
    tools: [
      tool(
        'create_cube',
        members(300, (index) => [
          `p${index}`,
          repeat(6, () => 0).reduce((items) => ({ type: 'array', minItems: 200, items }), { type: 'string' }),
        ]),
        { required: repeat(300, (index) => `p${index}`) },
      ),
    ],
    requests: [call('create_cube', {}), call('introspect', { query: 'operations', name: 'create_cube' })],
  },
];
