import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { inlineServer } from '../support/inline-server.js';
import { PUBLISHED_SCHEMAS } from '../support/published-rules.js';
import { runCommand } from '../support/run-command.js';
import { startToolServer, textBlocks } from '../support/tool-server.js';

const SCHEMA = new URL('discovery-bundle.schema.json', PUBLISHED_SCHEMAS);

const NOTES = `{
  getNote: {
    tool: {
      title: 'Get a note', description: 'Gets a note.', annotations: { readOnlyHint: true },
      inputSchema: { type: 'object', required: ['noteId'], properties: {
        noteId: { type: ['string', 'null'], description: 'Which', pattern: '^n' },
        depth: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
        form: { enum: ['short', 'long', 3] },
      } },
    },
    run: () => ({ content: [] }),
  },
  manage_label: {
    tool: { description: 'Manage labels', inputSchema: { type: 'object', properties: { action: { enum: ['list', 'delete'] } }, required: ['action'] } },
    run: () => ({ content: [] }),
  },
  frobnicate: { tool: {}, run: () => ({ content: [] }) },
}`;

it('export writes a discovery bundle of each server, in the published form and without a secret', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'export-'));
  await using shop = await startToolServer([{ name: 'list_things', answer: () => textBlocks('') }]);
  const url = shop.url.replace('//', '//ann:a-secret-of-ann@');
  const config = {
    server: { publicUrl: 'https://aql.example' },
    mcpServers: {
      notes: inlineServer(NOTES),
      shop: { url: `${url}?key=a-secret-key`, headers: { Authorization: 'Bearer a-secret-token' } },
    },
  };
  await writeFile(join(folder, 'gateway.config.json'), JSON.stringify(config));
  const { code, stderr, stdout } = await runCommand(['export', '--discovery-bundle', 'out', '--json'], { cwd: folder });
  expect([code, stderr.includes('secret')]).toEqual([0, false]);
  expect(JSON.parse(stdout)).toEqual(['out/notes/discovery-bundle.json', 'out/shop/discovery-bundle.json']);
  const read = async (name: string): Promise<JsonObject> =>
    JSON.parse(await readFile(join(folder, `out/${name}/discovery-bundle.json`), 'utf8')) as JsonObject;
  const bundles = { notes: await read('notes'), shop: await read('shop') };
  expect(JSON.stringify(bundles)).not.toContain('secret');
  expect([bundles.notes['source'], bundles.shop['source']]).toMatchObject([
    { name: 'notes', server_url: 'https://aql.example/mcp', auth: { type: 'none' } },
    { name: 'shop', server_url: shop.url, auth: { type: 'bearer', header: 'Authorization' } },
  ]);
  const { operations, warnings } = bundles.notes['normalized_bundle'] as Record<string, JsonObject[]>;
  const operation = (name: string) => operations?.find((each) => each['operation_name'] === name);
  expect(operation('get_note')).toMatchObject({
    source_tool_name: 'getNote',
    title: 'Get a note',
    endpoint: 'READ',
    endpoint_confidence: 'high',
    danger_level: 'safe',
    needs_review: false,
    maps_to: 'tool:getNote',
    params: [
      {
        name: 'note_id',
        original_name: 'noteId',
        type: 'string',
        required: true,
        description: 'Which',
        pattern: '^n',
        source_path: 'inputSchema.properties.noteId',
      },
      { name: 'depth', type: 'integer', required: false, minimum: 1, maximum: 9, default: 2 },
      { name: 'form', type: 'object', enum: ['short', 'long'] },
    ],
  });
  expect(operation('delete_label')).toMatchObject({ endpoint: 'DELETE', maps_to: 'tool:manage_label' });
  expect(operation('frobnicate')).toMatchObject({ endpoint: 'EXECUTE', needs_review: true });
  const codes = new Set(warnings?.map(({ code: each }) => each));
  expect(codes).toEqual(
    new Set(['OTHER_TRANSPORT', 'NAME_NORMALIZED', 'PARAM_NAME_NORMALIZED', 'PART_OF_TOOL', 'REVIEW_REQUIRED']),
  );
  // Where ../shared is absent, only the form above is checked.
  if (existsSync(SCHEMA)) {
    const ajv = new Ajv2020({ allErrors: true, strict: false });
    addFormats.default(ajv);
    const check = ajv.compile(JSON.parse(readFileSync(SCHEMA, 'utf8')));
    for (const bundle of Object.values(bundles)) expect([check(bundle), check.errors]).toEqual([true, null]);
  }
  await rm(folder, { recursive: true });
});
