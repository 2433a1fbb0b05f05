/** Answers that are about as large as they may be without being read by a thread in any case, and what may be asked of them. */

const SHAPES = [
  'escaped',
  'structured',
  'twice',
  'blocks',
  'objects',
  'nested',
  'digits',
  'names',
  'structured nothing',
  'structured names',
  'structured nested',
  'structured keys',
  'rows',
  'exponents',
  'long numbers',
  'string',
  'string of marks',
  'keys',
  'lists',
  'long texts',
  'lines',
  'tabs',
  'commas',
  'pipes',
  'tags',
  'lines of JSON',
  'pretty',
  'JSON in a text',
];

const repeat = (count, create) => Array.from({ length: count }, (_, index) => create(index));
const call = (params) => ({ operation: 'list_rows', params });
const batch = (count, params) => ({ operations: repeat(count, () => call(params)) });
const cursorIn = (answer) => /"endCursor\\":\\"([^"\\]+)/.exec(answer)?.[1] ?? 'none';

/** What may be asked of an answer. */
const QUESTIONS = [
  { sort: ['-a', 'name'] },
  { sort: repeat(10, (index) => `a${index > 0 ? index : ''}`) },
  { filter: { a: { contains: 'xxxx' } } },
  { filter: { a: { pattern: '*x*x*x*7?' } } },
  { query: 'somebody "xx xx" 77 1' },
  { aggregate: { by: { group_by: 'a', count: true }, mean: { avg: 'a' } } },
  { fields: ['a', 'owner.login', '_computed.twice'] },
  { filter: { '_computed.twice': { gt: 3 } }, sort: '_computed.twice' },
];

const attack = (name, requests, rest = {}) => ({
  name,
  tools: [
    {
      name: 'list_rows',
      inputSchema: { type: 'object', properties: { size: { type: 'string' }, shape: { type: 'string' } } },
    },
  ],
  program: 'small-answers.mjs',
  requests,
  config: { limits: { maxResponseSize: 10_485_760 } },
  ...rest,
});

const COMPUTED = { operations: { list_rows: { computed: { twice: 'length(text) + length(name)' } } } };

export const SMALL_ANSWER_ATTACKS = [
  attack(
    'answers below a megabyte',
    SHAPES.flatMap((shape) => [
      call({ shape }),
      call({ shape, first: 5, sort: '-a' }),
      repeat(10, () => call({ shape, filter: { a: { gt: 1 } } })),
    ]),
  ),
  attack(
    'questions to answers below a megabyte',
    ['rows', 'long texts', 'digits', 'commas', 'names'].flatMap((shape) => [
      ...QUESTIONS.flatMap((question) => [call({ shape, ...question }), repeat(5, () => call({ shape, ...question }))]),
      (answer) => call({ shape, first: 500, after: cursorIn(answer) }),
      batch(20, { shape, filter: { a: { gt: 1 } }, sort: '-a' }),
    ]),
    { upstream: COMPUTED },
  ),
  attack(
    'answers of a megabyte, which threads read',
    SHAPES.slice(0, 8).flatMap((shape) => [
      call({ shape, size: '1000000' }),
      repeat(10, () => call({ shape, size: '1000000', filter: { a: { gt: 1 } } })),
    ]),
  ),
  attack(
    'answers below a megabyte, passed on',
    SHAPES.map((shape) => call({ shape })),
    { config: { limits: { maxResponseSize: 10_485_760 }, results: { maxTokens: 0 } } },
  ),
  attack(
    'batches of answers, passed on',
    ['escaped', 'structured', 'twice', 'objects', 'digits'].flatMap((shape) => [
      batch(10, { shape }),
      repeat(4, () => batch(4, { shape })),
    ]),
    { settleMs: 500, config: { limits: { maxResponseSize: 104_857_600 }, results: { maxTokens: 0 } } },
  ),
];
