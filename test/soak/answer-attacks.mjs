/** Answers of some 50 MB, and what may be asked of them. A request may be a function of the answer before it. */

const tool = (name) => ({ name, inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } });
const call = (operation, params = {}) => ({ operation, params });
const LISTS = [
  'list_rows',
  'list_pretty',
  'list_structured',
  'list_twice',
  'list_digits',
  'list_million',
  'list_small',
  'list_names',
  'list_lists',
];
const TEXTS = ['get_prose', 'get_wide', 'get_string', 'get_nested', 'get_nested_structured'];
const OTHERS = ['get_failure', 'get_image', 'list_blocks', 'get_malformed'];
const TOOLS = [...LISTS, ...TEXTS, ...OTHERS].map(tool);

const QUESTIONS = [
  { filter: { owner: 'owner 7' } },
  { sort: ['size', '-name'] },
  { aggregate: { by: { group_by: 'owner', count: true, sum: 'size' } } },
  { query: 'row 77', first: 5 },
  { fields: ['id', 'name'] },
  { sort: '-id', first: 20 },
];

const WHOLE = {
  limits: { maxResponseSize: 104_857_600 },
  results: { maxTokens: 0 },
};

const handleIn = (answer) => /res_[A-Za-z0-9_-]+/.exec(answer)?.[0] ?? 'res_none';
const cursorIn = (answer) => /"endCursor\\":\\"([^"\\]+)/.exec(answer)?.[1] ?? 'none';
const readOn = (params) => (answer) => call('introspect', { query: 'result', name: handleIn(answer), ...params });

const attack = (name, requests, config = {}) => ({
  name,
  program: 'answer-upstream.mjs',
  tools: TOOLS,
  requests,
  config,
});

export const ANSWER_ATTACKS = [
  attack(
    'answers of 50 MB, cut to the default size',
    [...LISTS, ...TEXTS, ...OTHERS].map((name) => call(name)),
  ),
  attack(
    'answers of 50 MB, sent whole',
    [...LISTS, ...TEXTS, ...OTHERS].map((name) => call(name)),
    WHOLE,
  ),
  ...LISTS.slice(0, 3).map((name) =>
    attack(
      `queries of 50 MB: ${name}`,
      QUESTIONS.map((question) => call(name, question)),
    ),
  ),
  attack(
    'queries of a million items',
    QUESTIONS.map((question) => call('list_million', question)),
  ),
  attack('pages of a large answer', [
    call('list_rows', { sort: 'size', first: 100 }),
    (answer) => call('list_rows', { sort: 'size', first: 100, after: cursorIn(answer) }),
    (answer) => call('list_rows', { sort: 'size', first: 500, after: cursorIn(answer) }),
  ]),
  ...['list_rows', 'get_prose'].map((name) =>
    attack(`parts of a stored result: ${name}`, [
      call(name),
      readOn({}),
      call(name),
      readOn({ search: 'row 399' }),
      call(name),
      readOn({ path: '[300000].name' }),
    ]),
  ),
  attack('batches of large answers', [
    { operations: LISTS.slice(0, 4).map((name) => call(name)) },
    { operations: Array.from({ length: 8 }, () => call('list_rows', { sort: 'size', first: 10 })) },
  ]),
];
