import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import type { ReadContext, ReadData } from '../../../../src/results/query/result-types.js';
import { createResultService } from '../../../../src/results/results.js';
import { anOperation } from '../../../support/an-operation.js';

const SETTINGS = { maxTokens: 0, keptBytes: 10_000_000, keptSeconds: 600, compact: false };
const READ: ReadContext = {
  operation: anOperation({ name: 'get_things' }),
  arguments: {},
  caller: { sessionId: 's', clientName: 'c', transport: 'http' },
};

/** One call of an operation that nothing is known of. */
async function ask(
  answer: unknown,
  params: JsonObject,
  args: JsonObject = {},
): Promise<ReadData & { readonly data: JsonObject }> {
  const service = createResultService(SETTINGS);
  const { query, refusal } = service.takeControls(READ.operation, params);
  if (refusal?.error !== undefined) throw refusal.error;
  const read = await service.finish({ ...READ, arguments: args }, query, JSON.stringify(answer));
  return { ...read, data: JSON.parse(read.dataText) };
}

/** The same table in each form. */
const HEADER = ['name', 'plan', 'due'];
const ROWS: readonly (readonly [string, string, number])[] = [
  ['Acme', 'pro', 12.5],
  ['Bolt, Inc', 'free', 7],
  ['Core "x"', 'pro', 30],
];
const objects = ROWS.map(([name, plan, due]) => ({ name, plan, due }));
const quoted = (cell: string | number): string =>
  /[",]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell);
const separated = (separator: string): string =>
  [HEADER, ...ROWS].map((row) => row.map(quoted).join(separator)).join('\r\n');
const piped = [HEADER, ['---', ':--', '--:'], ...ROWS].map((row) => `| ${row.join(' | ')} |`).join('\n');
const html = (row: readonly unknown[], tag: string): string =>
  row.map((cell) => `<${tag}>${String(cell).replaceAll('"', '&quot;')}</${tag}>`).join('');
const sheet = [
  '<tr><th></th><th>A</th><th>B</th><th>C</th></tr>',
  ...[HEADER, ...ROWS].map((row, index) => `<tr><th>${index + 1}</th>${html(row, 'td')}</tr>`),
].join('\n');

const FORMS: readonly (readonly [form: string, answer: unknown, readAs: string])[] = [
  ['a bare array of objects', objects, ''],
  ['columns and rows', { columns: HEADER, rows: ROWS, rowCount: 3 }, "rows with the columns 'name', 'plan', 'due'"],
  [
    'described columns and rows, in a wrapper',
    { result: { columns: HEADER.map((name) => ({ name, type: 'any' })), rows: ROWS } },
    'rows with the columns',
  ],
  [
    'columns and rows as a text that is JSON',
    { result: JSON.stringify({ headers: HEADER, data: ROWS }) },
    'rows with the columns',
  ],
  ['rows under a header', [HEADER, ...ROWS], "rows under the header 'name', 'plan', 'due'"],
  [
    'a range of rows under a header',
    { range: 'A1:C4', majorDimension: 'ROWS', values: [HEADER, ...ROWS] },
    'rows under the header',
  ],
  ['a CSV text', separated(','), "rows of a CSV text under the header 'name', 'plan', 'due'"],
  ['a CSV text in a member', { content: separated(',') }, 'rows of a CSV text'],
  ['a CSV text with a byte order mark and empty lines', `\uFEFF${separated(',')}\n\n`, 'rows of a CSV text'],
  ['tabs', separated('\t'), 'rows of a text with tabs'],
  ['semicolons', `${separated(';')}\n`, 'rows of a text with semicolons'],
  ['a Markdown table with texts around it', `Found 3:\n\n${piped}\n\nThat is all.`, 'rows of a text with pipes'],
  [
    'the output of a database shell',
    ` name | plan | due\n------+------+----\n${ROWS.map((row) => ` ${row.join(' | ')}`).join('\n')}\n(3 rows)`,
    'rows of a text with pipes',
  ],
  [
    'an HTML table',
    `<p>x</p><table>\n<tr>${html(HEADER, 'th')}</tr>${ROWS.map((row) => `<tr>${html(row, 'td')}</tr>`).join('')}</table>`,
    'rows of an HTML table',
  ],
  [
    'a sheet',
    `<h2>Sheet</h2>\n<table>${sheet}</table>\n<p>used range A1:C4</p>`,
    'rows of a sheet in HTML under the header',
  ],
  ['lines of JSON', objects.map((each) => JSON.stringify(each)).join('\n'), 'lines of JSON'],
  [
    'text blocks of JSON',
    { content: objects.map((each) => ({ type: 'text', text: JSON.stringify(each, null, 2) })) },
    'text blocks of JSON',
  ],
  [
    'text blocks of JSON under a heading',
    { content: ['Found 3:', ...objects.map((each) => JSON.stringify(each))].map((text) => ({ type: 'text', text })) },
    'text blocks of JSON',
  ],
  ['JSON under a heading', `Found 3 invoices:\n${JSON.stringify(objects, null, 2)}`, 'the JSON in a text'],
  [
    'JSON between code fences, over a remark',
    `\`\`\`json\n${JSON.stringify({ items: objects })}\n\`\`\`\nThat is all.`,
    'the JSON in a text',
  ],
  [
    'one text block with the list',
    { content: ['Found 3', JSON.stringify({ items: objects })].map((text) => ({ type: 'text', text })) },
    'the JSON of a text block',
  ],
];

describe('a list in any form, from the first call on', () => {
  it.each(FORMS)('is summed by group: %s', async (_form, answer, readAs) => {
    const { data, warnings } = await ask(answer, { aggregate: { by_plan: { group_by: 'plan', sum: 'due' } } });
    expect(data['aggregations']).toEqual({ by_plan: { pro: 42.5, free: 7 } });
    expect(data).toMatchObject({ matched: 3, total: 3 });
    const says = warnings.map(({ message }) => message).join();
    expect(says).toContain(readAs);
    expect(says === '').toBe(readAs === '');
  });

  it.each(FORMS)('is filtered, sorted and cut: %s', async (_form, answer) => {
    const { data } = await ask(answer, {
      filter: { due: { gt: 10 } },
      sort: '-due',
      fields: ['name', 'due'],
      first: 1,
    });
    expect(data).toMatchObject({
      items: [{ name: 'Core "x"', due: 30 }],
      pageInfo: { totalCount: 2, hasNextPage: true },
    });
  });

  it.each(FORMS)('shows the fields that are asked for and no others: %s', async (_form, answer) => {
    const { dataText } = await ask(answer, { fields: ['name'] });
    expect(dataText).toContain('{"name":"Acme"}');
    for (const left of ['12.5', '"free"']) expect(dataText).not.toContain(left);
  });

  it.each(FORMS)('is the answer as it came without controls, and with all fields: %s', async (_form, answer) => {
    for (const params of [{}, { fields: 'full' }])
      expect((await ask(answer, params)).dataText).toBe(JSON.stringify(answer));
  });
});

describe('evidence of a form', () => {
  const WORDS = 'name,city\nAda,Paris\nBob,Rome';

  it('is a word over numbers, a field that the caller names, or the name of the file', async () => {
    expect((await ask(WORDS, { filter: { city: 'Rome' } })).data['items']).toEqual([{ name: 'Bob', city: 'Rome' }]);
    expect((await ask(WORDS, { first: 5 }, { path: 'data/people.csv' })).data['items']).toHaveLength(2);
    const { data, warnings } = await ask(WORDS, { first: 5 });
    expect(data['items']).toEqual(['name,city', 'Ada,Paris', 'Bob,Rome']);
    expect(warnings[0]?.message).toBe('The answer was read as the lines of a text, without the empty ones');
  });

  it('never makes a header of a row of values', async () => {
    const { data } = await ask(
      [
        ['Ada', 3],
        ['Bob', 4],
      ],
      { first: 5 },
    );
    expect(data['items']).toEqual([
      ['Ada', 3],
      ['Bob', 4],
    ]);
    expect((await ask('Ada,3\nBob,4', { first: 5 })).data['items']).toEqual(['Ada,3', 'Bob,4']);
  });

  it('names the columns of a sheet without a header by their letters', async () => {
    const rows = [
      ['Ada', 3],
      ['Bob', 4],
    ]
      .map((row, index) => `<tr><th>${index + 1}</th>${html(row, 'td')}</tr>`)
      .join('');
    const { data } = await ask(`<table><tr><th></th><th>A</th><th>B</th></tr>${rows}</table>`, { sort: '-B' });
    expect(data['items']).toEqual([
      { A: 'Bob', B: 4 },
      { A: 'Ada', B: 3 },
    ]);
  });

  it('keeps every digit and every text of a cell', async () => {
    const text = 'id,zip,price,note\n1,00501,12.50,"a\n\nb"\n12345678901234567890,10115,7,';
    const { dataText } = await ask(text, { first: 5 });
    expect(dataText).toContain('{"id":1,"zip":"00501","price":12.50,"note":"a\\n\\nb"}');
    expect(dataText).toContain('{"id":12345678901234567890,"zip":"10115","price":7,"note":""}');
  });

  it('finds the lines that hold a word, in a text that is no table', async () => {
    const { data } = await ask(
      { content: '# Notes\n\nTODO: call Ada\nsome text, and more\n\nTODO: pay' },
      { query: 'TODO' },
    );
    expect(data['items']).toEqual(['TODO: call Ada', 'TODO: pay']);
  });

  it.each<[string, unknown, JsonObject]>([
    ['one object', { id: 1, name: 'x' }, { sort: 'name' }],
    ['one line', 'done', { first: 3 }],
    ['a text of lines that is asked for its fields', 'alpha\nbeta', { filter: { name: 'x' } }],
    ['a text that is asked for a preset of fields', 'alpha\nbeta', { first: 2, fields: 'minimal' }],
    ['a JSON text of one object', '{"a": 1,\n"b": 2}', { first: 2 }],
    ['two tables', `${piped}\n\n${piped}`, { filter: { due: 7 } }],
    [
      'a table of cells over columns',
      '<table><tr><th colspan="2">x</th></tr><tr><td>a</td><td>1</td></tr></table>',
      { sort: 'x' },
    ],
    ['uneven rows', 'a,b\n1,2\n3', { sort: 'a' }],
    ['nothing', null, { first: 2 }],
  ])('is missing in %s, which comes whole with a warning', async (_what, answer, params) => {
    const { data, warnings } = await ask(answer, params);
    expect(data).toEqual(answer);
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'VALIDATION_NO_LIST_WARNING' }));
  });

  it('reads a million characters without repeating itself', async () => {
    for (const piece of ['"', '|-', '<td>', '<', 'a,', '{', '-'.repeat(50), '| \n|-', '&#']) {
      const { data } = await ask(piece.repeat(1_000_000 / piece.length), { first: 1 });
      expect(data).toBeDefined();
    }
  });
});

it('a text is the same with all fields as without any control', () =>
  fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc
          .array(
            fc.constantFrom('a,b', '1,2', '', '  x', 'y  ', '| a | b |', '|---|---|', '{"a":1}', '<table>', '\r'),
            { maxLength: 8 },
          )
          .map((lines) => lines.join('\n')),
      ),
      fc.constantFrom<JsonObject>({ fields: 'full' }, { preset: 'full' }),
      fc.boolean(),
      async (text, params, isMember) => {
        const answer = isMember ? { content: text } : text;
        expect((await ask(answer, params)).dataText).toBe(JSON.stringify(answer));
      },
    ),
  ));
