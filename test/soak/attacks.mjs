/**
 * What hostile servers and clients send, one entry for each way in. `tools` are what the upstream offers; `requests` are the
 * arguments of `mcp_aql`, as values or as JSON texts; `config` is merged into the gateway's configuration; `barMs` is the bar where it is
 * not that of all. Add yours here.
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

/** What `limits.maxRequestSize` may be at most. */
const LARGEST_REQUEST = 10 * 1024 * 1024;

/** For the start and the rebuild of more than 2,000 operations, and for what only bounds that an operator raised let in. */
export const LONGER_BAR_MS = 100;

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
    tools: [2_500, 40_000].map((count) =>
      tool(
        `create_big_${count}`,
        members(count, (index) => [`p${index}`, { anyOf: repeat(4, (one) => ({ const: `${index}-${one}` })) }]),
      ),
    ),
    requests: [2_500, 40_000].flatMap((count) => [
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
    requests: ['['.repeat(500_000) + ']'.repeat(500_000), `${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`].map(
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
  {
    name: 'many small values',
    tools: [tool('create_note', { text: {} })],
    requests: ['1', '"x"', '{}', '0.12345678901234560'].map((one) => {
      const list = `[${repeat(9_999, () => one).join()}]`;
      const lists = repeat(Math.floor(1_000_000 / list.length), () => list).join();
      return `{"operation":"create_note","params":{"text":[${lists},1e5]}}`;
    }),
  },
  {
    name: 'the largest requests',
    barMs: LONGER_BAR_MS,
    tools: [tool('create_note', { text: {} })],
    config: { limits: { maxRequestSize: LARGEST_REQUEST, maxStringLength: LARGEST_REQUEST } },
    requests: ['1', '{}', '[1]', '0.12345678901234560', `"${'x'.repeat(100_000)}"`]
      .map((one) => {
        const list = `[${repeat(Math.min(9_999, Math.floor(1_000_000 / one.length)), () => one).join()}]`;
        const lists = repeat(Math.floor((LARGEST_REQUEST - 1_000) / (list.length + 1)), () => list).join();
        return `{"operation":"create_note","params":{"text":[${lists},1e5]}}`;
      })
      .concat(
        `{"operation":"create_note","params":{"text":{${repeat(700_000, (index) => `"k${index}":1`).join()}}}}`,
        `{"operation":"create_note","params":{${repeat(700_000, (index) => `"k${index}":1`).join()}}}`,
      ),
  },
  {
    name: 'misspelt metadata',
    tools: [tool('create_note', { text: {} })],
    requests: [
      call(
        'create_note',
        members(20_000, (index) => [`_confirmatio_${index}`, 1]),
      ),
    ],
  },
  {
    name: 'wrong items, explained',
    tools: [
      tool('create_list', {
        items: { type: 'array', items: { anyOf: repeat(200, (one) => ({ type: 'object', required: [`a${one}`] })) } },
      }),
    ],
    requests: [call('create_list', { items: repeat(9_000, () => ({ b: 1 })) })],
  },
  {
    name: 'members that alternatives combine',
    tools: [
      tool(
        'create_combined',
        {},
        {
          $ref: '#/$defs/d0',
          $defs: Object.fromEntries(
            repeat(61, (level) =>
              ['d', 'e'].map((name) => [
                `${name}${level}`,
                {
                  properties: { a: { title: `${name}${level}` } },
                  ...(level < 60 && { anyOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/e${level + 1}` }] }),
                },
              ]),
            ).flat(),
          ),
        },
      ),
      tool(
        'create_many',
        {},
        { anyOf: repeat(2_000, (index) => ({ properties: { a: { const: index }, [`b${index}`]: {} } })) },
      ),
    ],
    requests: [call('create_combined', { a: 1 }), call('create_many', { c: 1 })],
  },
  {
    name: 'a batch of wrong items',
    tools: [
      tool('list_things', {
        items: { anyOf: repeat(200, (one) => ({ type: 'array', items: { const: one } })) },
        word: { type: 'string', pattern: `^(?:${'a?'.repeat(20)}b){20}$` },
      }),
    ],
    requests: [
      { operations: repeat(100, () => call('list_things', { items: repeat(2_400, () => 'x') })) },
      { operations: repeat(100, (index) => call('list_things', { [`itmes_${index}`]: 1, word: 'a'.repeat(9_000) })) },
      {
        operations: repeat(100, (index) =>
          call(
            'list_things',
            members(500, (one) => [`unknown_${index}_${one}`, 1]),
          ),
        ),
      },
    ],
  },
  {
    name: 'the same at the same time',
    tools: [
      tool('create_set', { items: { type: 'array', uniqueItems: true, items: { type: 'object' } } }),
      tool('create_list', { items: { anyOf: repeat(200, (one) => ({ type: 'array', items: { const: one } })) } }),
    ],
    requests: [
      repeat(10, () => call('create_set', { items: repeat(9_999, (id) => ({ id, text: 'x'.repeat(50) })) })),
      repeat(20, () => call('create_list', { items: repeat(10_000, () => 'x') })),
      repeat(100, (index) => call(`${'never_heard_of_'.repeat(16)}${index}`, {})),
    ],
  },
  {
    name: 'references of a batch',
    tools: [tool('list_rows', { answer: { type: 'string' }, text: {} }, {})],
    requests: [
      {
        operations: [
          call('list_rows', {
            answer: JSON.stringify({ rows: repeat(4_000, (id) => ({ id, text: 'x'.repeat(200) })) }),
          }),
          ...repeat(99, (index) => call('list_rows', { text: `$results[${index === 0 ? 0 : index - 1}].data` })),
        ],
      },
      {
        operations: [
          call('list_rows', {}),
          ...repeat(99, () => call('list_rows', { text: repeat(1_000, () => '$results[0].data') })),
        ],
      },
    ],
  },
  {
    name: 'globs in rules, long values',
    config: {
      policy: {
        rules: repeat(20, (index) => ({
          match: {
            params: { path: { glob: [`/a${'*a'.repeat(200)}b${index}`, `**/${'*x*'.repeat(100)}/**/y${index}`] } },
          },
          decision: 'confirm',
        })),
      },
    },
    tools: [tool('list_files', { path: {} })],
    requests: [
      call('list_files', { path: `/${'a'.repeat(4_000)}` }),
      call('list_files', { path: repeat(250, () => `/${'a'.repeat(3_900)}`) }),
      call('list_files', { path: repeat(9_999, () => `/${'ax/'.repeat(30)}`) }),
    ],
  },
  {
    name: 'values in rules',
    config: {
      policy: {
        rules: repeat(20, (index) => ({
          match: { params: { path: { in: [...repeat(200, (one) => `${one}x${index}`), 7, true, { a: index }] } } },
          decision: 'deny',
        })),
      },
    },
    tools: [tool('list_files', { path: {} })],
    requests: [
      call('list_files', { path: repeat(9_999, (index) => `v${index}`) }),
      call('list_files', { path: repeat(9_999, (id) => ({ id, text: 'x'.repeat(60) })) }),
      call('list_files', { path: `${' '.repeat(900_000)}7` }),
    ],
  },
  {
    name: 'computed fields',
    config: {},
    upstream: {
      operations: {
        list_rows: {
          collection: 'rows',
          computed: Object.fromEntries(
            repeat(20, (index) => [`c${index}`, `length(lower(concat(text, upper(text), text))) + ${index}`]),
          ),
        },
      },
    },
    tools: [tool('list_rows', { answer: { type: 'string' } })],
    requests: [
      call('list_rows', {
        answer: JSON.stringify({ rows: repeat(9_000, (id) => ({ id, text: 'Ab'.repeat(30) })) }),
        fields: repeat(20, (index) => `_computed.c${index}`),
      }),
    ],
  },
  {
    name: '10,000 operations: introspection',
    barMs: LONGER_BAR_MS,
    tools: repeat(10_000, (index) => ({
      name: `${['list', 'create', 'update', 'delete', 'run'][index % 5]}_thing_${index}`,
      description: `Does something with thing number ${index} and its neighbours`,
      inputSchema: { type: 'object', properties: { thing_id: { type: 'string' }, note: { type: 'string' } } },
    })),
    settleMs: 3_000,
    requests: [
      call('introspect', { query: 'operations' }),
      call('introspect', { query: 'operations', first: 200 }),
      call('introspect', { query: 'operations', sort: 'name', filter: { semantic_category: 'READ' } }),
      call('introspect', { query: 'operations', filter: members(15_000, (index) => [`semantic_categry_${index}`, 1]) }),
      call('introspect', { query: 'operations', search: 'delete thing neighbours number' }),
      call('introspect', { query: 'operations', search: 'things of all kinds and numbers '.repeat(12) }),
      call('introspect', { query: 'operations', search: 'wörd '.repeat(90) }),
      call('introspect', { query: 'types', search: 'thing' }),
      call('introspect', { query: 'operations', name: 'list_thing_x' }),
      call('list_thing_x', {}),
      repeat(30, (index) => call(`delete_thnig_${index}`, {})),
    ],
  },
  {
    name: '25 MB of tools',
    barMs: LONGER_BAR_MS,
    tools: repeat(5_000, (index) => ({
      name: `${['list', 'create', 'update', 'delete', 'run'][index % 5]}_part_${index}`,
      description: `Works on part ${index}. ${'It is described at length. '.repeat(60)}`,
      inputSchema: {
        type: 'object',
        properties: members(40, (one) => [`p${one}`, { type: 'string', description: 'Some words on it. '.repeat(2) }]),
      },
    })),
    upstream: { maxAnswerBytes: 52_428_800 },
    settleMs: 8_000,
    requests: [call('introspect', { query: 'operations' })],
  },
  {
    name: 'one tool of 25 MB',
    barMs: LONGER_BAR_MS,
    tools: [
      tool('list_things', {}),
      tool(
        'create_monster',
        members(100_000, (index) => [`p${index}`, { type: 'string', description: 'x'.repeat(200) }]),
      ),
    ],
    upstream: { maxAnswerBytes: 52_428_800 },
    settleMs: 3_000,
    requests: [call('create_monster', {}), call('list_things', {})],
  },
  {
    name: 'a flood of changed lists',
    tools: [
      tool('run_flood', { flood: { type: 'object' } }),
      ...repeat(2_000, (index) =>
        tool(
          `list_part_${index}`,
          members(20, (one) => [`p${one}`, { type: 'string' }]),
        ),
      ),
    ],
    settleMs: 4_000,
    requests: [call('run_flood', { flood: { kind: 'changes', count: 20_000 } })],
  },
  {
    name: 'a flood of progress',
    tools: [tool('run_flood', { flood: { type: 'object' } })],
    settleMs: 500,
    requests: [call('run_flood', { flood: { kind: 'progress', count: 100_000 } })],
  },
  ...['noise', 'blanks', 'halves', 'errors', 'answers'].map((kind) => ({
    name: `a flood of lines: ${kind}`,
    tools: [tool('run_flood', { flood: { type: 'object' } })],
    settleMs: 500,
    requests: [call('run_flood', { flood: { kind, count: 500_000 } })],
  })),
  {
    name: 'a flood of batches',
    tools: [tool('run_flood', { flood: { type: 'object' } })],
    settleMs: 500,
    requests: [call('run_flood', { flood: { kind: 'batches', count: 20 } })],
  },
  {
    name: 'questions to a stored answer',
    tools: [tool('list_rows', { answer: { type: 'string' } })],
    requests: [
      [
        { search: '(a+)+$' },
        { search: '(a|a)*b'.repeat(30) },
        { path: `rows${'[0]'.repeat(3_000)}` },
        { path: 'rows.'.repeat(20_000) },
      ]
        .concat([{ path: `${'*.'.repeat(50)}a` }, { path: `..${'[*]'.repeat(100)}` }, { search: 'a'.repeat(200_000) }])
        .flatMap((params) => [
          call('list_rows', {
            answer: JSON.stringify({ rows: repeat(6_000, (id) => ({ id, text: 'a'.repeat(100) })) }),
          }),
          (answer) =>
            call('introspect', { query: 'result', name: /res_[A-Za-z0-9_-]+/.exec(answer)?.[0] ?? 'none', ...params }),
        ]),
    ].flat(),
  },
  {
    name: 'wide and deep questions',
    tools: [tool('list_rows', { answer: { type: 'string' } })],
    requests: [
      { fields: repeat(9_999, (index) => `text_${index}`) },
      { fields: repeat(9_999, (index) => `a${index}.${'b.'.repeat(10)}c`) },
      { filter: repeat(15, () => 0).reduce((inner) => ({ and: [inner, inner] }), { id: { gt: 1 } }) },
      { filter: repeat(6, () => 0).reduce((inner) => ({ or: repeat(6, () => inner) }), { text: { contains: 'zz' } }) },
      { filter: { id: { in: repeat(9_999, (index) => -index) } } },
      { filter: { text: { like: '%a'.repeat(500) } } },
      { filter: members(9_999, (index) => [`txet_${index}`, 1]) },
      { sort: repeat(9_999, (index) => `text_${index}`) },
      { aggregate: members(5_000, (index) => [`n${index}`, { count: true, sum: 'id', group_by: 'text' }]) },
      { query: 'aaaa '.repeat(20_000) },
    ].map((question) =>
      call('list_rows', {
        answer: JSON.stringify({ rows: repeat(3_000, (id) => ({ id, text: `${'a'.repeat(60)}${id}` })) }),
        ...question,
      }),
    ),
  },
  {
    name: 'names that nearly match',
    tools: [
      tool(
        'create_note',
        members(3_000, (index) => [`parameter_number_${index}_of_many`, { type: 'string' }]),
      ),
    ],
    requests: [
      call(
        'create_note',
        members(10_000, (index) => [`paramter_nubmer_${index}_of_mnay`, 1]),
      ),
      call(
        'create_note',
        members(5_000, (index) => [`${'\u{fdfa}'.repeat(30)}${index}`, 1]),
      ),
      call('\u{fdfa}'.repeat(80), {}),
      call('create_note', { ['e\u0301'.repeat(150_000)]: 1 }),
      { operation: 'create_note', params: {}, ...members(10_000, (index) => [`operatoin_${index}`, 1]) },
    ],
  },
  {
    name: 'numbers of many digits',
    tools: [tool('create_note', { ids: { type: 'array', items: { type: 'number', multipleOf: 0.01 } } })],
    requests: [
      ...['1e400', '9'.repeat(10_000), `0.${'1'.repeat(10_000)}`, `1${'0'.repeat(300)}`, '1e-400', '0.1e1'].map(
        (one) =>
          `{"operation":"create_note","params":{"ids":[${repeat(Math.min(9_999, Math.floor(900_000 / (one.length + 1))), () => one).join()}]}}`,
      ),
    ],
  },
  {
    name: 'secrets in long texts',
    config: { policy: { rules: [{ match: { params: { a: { glob: ['**'] } } }, decision: 'confirm' }] } },
    tools: [tool('create_note', {}), tool('delete_note', {})],
    requests: ['create_note', 'delete_note'].flatMap((name) =>
      ['password=', 'https://a:b', 'eyJhbGciOiJ-', '-----BEGIN PRIVATE KEY-----\n', 'basic A', '--api-key '].map(
        (text) =>
          call(name, {
            a: 'x',
            ...members(15, (index) => [`t${index}`, text.repeat(Math.floor(62_000 / text.length))]),
          }),
      ),
    ),
  },
];
