import { afterAll, beforeAll, expect, it } from 'vitest';
import { hostGateway } from '../support/hosted-gateway.js';
import { connectClient } from '../support/mcp-client.js';
import { startToolServer, type ToolServer, textBlocks } from '../support/tool-server.js';

const READ = 'mcp_aql_read';
const PATH = { filePath: { type: 'string' } };

let upstream: ToolServer;

beforeAll(async () => {
  const failed = (words: string) => ({ ...textBlocks(words), isError: true });
  upstream = await startToolServer([
    {
      name: 'read_sheet',
      properties: { ...PATH, sheet: { type: 'string' } },
      required: ['filePath'],
      answer: ({ filePath, sheet }) =>
        sheet === 'long'
          ? failed(`Error: open /srv/office/${String(filePath)}: no such file or directory\n${'x'.repeat(1_500_000)}`)
          : sheet === 'x'
            ? failed('Invalid sheet: filePath must be an absolute path')
            : failed(`Error: open /srv/office/${String(filePath)}: no such file or directory`),
    },
    {
      name: 'create_workbook',
      description: 'Creates a workbook.',
      properties: PATH,
      required: ['filePath'],
      writes: true,
      answer: () => textBlocks('ok'),
    },
  ]);
});

afterAll(() => upstream?.[Symbol.asyncDispose]());

it("an upstream's failure names the path as it was sent, what creates it, and the parameter as callers write it", async () => {
  await using gateway = await hostGateway({ mcpServers: { office: { url: upstream.url } } });
  await using client = await connectClient(gateway.url);
  const missing = await client.call(READ, 'read_sheet', { file_path: 'my books/a b.xlsx' });
  expect(missing.error).toMatchObject({
    code: 'NOT_FOUND_RESOURCE',
    message:
      "Resource not found: 'open my books/a b.xlsx: no such file or directory'. If it does not exist yet, 'create_workbook' creates it",
    details: { created_by: [{ operation: 'create_workbook', tool: 'mcp_aql_create' }] },
  });
  const long = await client.call(READ, 'read_sheet', { file_path: 'b.xlsx', sheet: 'long' });
  expect(long.error).toMatchObject({ details: { created_by: [{ operation: 'create_workbook' }] } });
  expect(long.error?.message).toMatch(/'create_workbook' creates it$/);
  const wrong = await client.call(READ, 'read_sheet', { file_path: 'a.xlsx', sheet: 'x' });
  expect(wrong.error).toMatchObject({ code: 'VALIDATION_INVALID_VALUE', details: { param_name: 'file_path' } });
  expect(wrong.error?.message).toMatch(/See 'file_path'$/);
});
