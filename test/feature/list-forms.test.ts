import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient } from '../support/mcp-client.js';
import { startToolServer, textBlocks } from '../support/tool-server.js';

const READ = 'mcp_aql_read';
const INVOICES = [
  { customer: 'Acme', plan: 'pro', overdue: 120.5 },
  { customer: 'Bolt', plan: 'free', overdue: 9 },
  { customer: 'Core', plan: 'pro', overdue: 30 },
];
const BY_PLAN = { aggregate: { by_plan: { group_by: 'plan', sum: 'overdue' } } };
const SUMS = { by_plan: { pro: 150.5, free: 9 } };
const COLUMNS = ['customer', 'plan', 'overdue'];
const rows = INVOICES.map(({ customer, plan, overdue }) => [customer, plan, overdue]);
const CSV = [COLUMNS, ...rows].map((row) => row.join(',')).join('\n');

it('sums rows by group in one call, whatever the form in which servers give them', async () => {
  const structured = { columns: COLUMNS, rows };
  await using upstream = await startToolServer([
    { name: 'read_records', answer: () => textBlocks(JSON.stringify(INVOICES)) },
    { name: 'get_rows', answer: () => ({ structuredContent: structured, ...textBlocks(JSON.stringify(structured)) }) },
    { name: 'read_sheet', answer: () => textBlocks(JSON.stringify({ range: 'A1:C4', values: [COLUMNS, ...rows] })) },
    { name: 'get_report', answer: () => textBlocks(`Found 3:\n${JSON.stringify(INVOICES, null, 2)}`) },
    { name: 'get_blocks', answer: () => textBlocks('Found 3:', ...INVOICES.map((each) => JSON.stringify(each))) },
  ]);
  await using gateway = await hostGateway({ mcpServers: { books: { url: upstream.url } } });
  await using client = await connectClient(gateway.url);
  for (const name of ['read_records', 'get_rows', 'read_sheet', 'get_report', 'get_blocks']) {
    const { data, error } = await client.call(READ, name, BY_PLAN);
    expect({ name, error, sums: data?.aggregations }).toEqual({ name, error: undefined, sums: SUMS });
  }
});

it('never sends what fields leave out, in blocks and resources that repeat the answer', async () => {
  const config = { theme: 'dark', secrets: ['hidden value'] };
  const json = JSON.stringify(config, null, 2);
  const uri = 'config://current';
  await using upstream = await startToolServer([
    {
      name: 'get_config',
      answer: () => ({ structuredContent: config, ...textBlocks(`Current configuration:\n\n# All\n${json}`) }),
    },
    {
      name: 'get_settings',
      answer: () => ({
        structuredContent: config,
        content: [{ type: 'resource', resource: { uri, mimeType: 'application/json', text: json } }],
      }),
    },
    { name: 'get_list', answer: () => ({ structuredContent: { result: [config] }, ...textBlocks(json) }) },
  ]);
  await using gateway = await hostGateway({ mcpServers: { app: { url: upstream.url } } });
  await using client = await connectClient(gateway.url);
  for (const name of ['get_config', 'get_settings', 'get_list']) {
    const { raw } = await client.call(READ, name, { fields: ['theme'] });
    expect(JSON.stringify(raw)).toContain('dark');
    expect(JSON.stringify(raw)).not.toContain('hidden value');
  }
  const { raw } = await client.call(READ, 'get_list', {});
  expect(JSON.stringify(raw).match(/hidden value/g)).toHaveLength(1);
});

it('asks files of the file server: rows of a CSV file, and the lines of a text that hold a word', async () => {
  await using home = await makeDirectory();
  const folder = join(home.path, 'files');
  await mkdir(folder, { recursive: true });
  const note = '# Notes\n\n\nTODO: call Ada\n  indented  \n\nTODO: pay\n';
  await writeFile(join(folder, 'customers.csv'), CSV);
  await writeFile(join(folder, 'note.md'), note);
  await using gateway = await hostGateway({
    mcpServers: { filesystem: { command: 'mcp-server-filesystem', args: ['.'], cwd: folder } },
  });
  await using client = await connectClient(gateway.url);
  const read = (path: string, params: object) => client.call(READ, 'read_text_file', { path, ...params });
  expect((await read('customers.csv', BY_PLAN)).data.aggregations).toEqual(SUMS);
  const found = await read('customers.csv', { filter: { plan: 'pro' }, fields: ['customer'] });
  expect(found.data.items).toEqual([{ customer: 'Acme' }, { customer: 'Core' }]);
  expect(found.warnings).toMatchObject([{ code: 'VALIDATION_READ_AS_WARNING' }]);
  expect((await read('note.md', { query: 'TODO' })).data.items).toEqual(['TODO: call Ada', 'TODO: pay']);
  const whole = await read('note.md', {});
  expect(JSON.stringify(whole.data)).toContain(JSON.stringify(note).slice(1, -1));
  for (const params of [{ fields: 'full' }, { preset: 'full' }])
    expect((await read('note.md', params)).data).toEqual(whole.data);
});
