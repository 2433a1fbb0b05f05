import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import type { HandlerCall, HandlerOutcome, OperationHandler } from '../../../../src/base/protocol/call.js';
import type { ToolCallResult } from '../../../../src/base/protocol/result.js';
import type { Catalog } from '../../../../src/catalog/catalog.js';
import { findOperation } from '../../../../src/catalog/catalog.js';
import { createMergeInterceptor } from '../../../../src/gateway/interceptor/merge-update.js';
import { anUpstream, buildTestCatalog } from '../../../support/build-test-catalog.js';
import { REPOSITORY } from '../../../support/served-gateway.js';
import { aCall } from './held-interceptor.js';
import { explainFailure, named, resultOf } from './record-bench.js';

/** A real server whose writes know nothing of versions: with `merge` they are compared and swapped. */
const CURATION = [
  { pattern: 'write_file', category: 'UPDATE', merge: { read: 'read_text_file' } },
  { pattern: 'edit_file', category: 'UPDATE', merge: { read: 'read_text_file' } },
] as const;

let folder: string;
let client: Client;
let catalog: Catalog;
/** Happens before the server sees the next call of a tool, as if by another client. */
let meanwhile: ((tool: string) => Promise<void>) | undefined;

const inner: OperationHandler = async ({ operation, arguments: args }) => {
  await meanwhile?.(operation.tool);
  return { toolResult: (await client.callTool({ name: operation.tool, arguments: args })) as ToolCallResult };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aql-merge-'));
  client = new Client({ name: 'test', version: '1.0.0' });
  const command = join(REPOSITORY, 'node_modules/.bin/mcp-server-filesystem');
  await client.connect(new StdioClientTransport({ command, args: ['.'], cwd: folder, stderr: 'ignore' }));
  const { tools } = await client.listTools();
  catalog = buildTestCatalog({ files: tools }, { upstreams: [anUpstream('files', { curation: CURATION })] });
});

afterAll(async () => {
  await client?.close();
  await rm(folder, { recursive: true });
});

beforeEach(async () => {
  meanwhile = undefined;
  await writeFile(join(folder, 'notes.txt'), 'first line\n');
});

const content = () => readFile(join(folder, 'notes.txt'), 'utf8');

function run(operation: string, args: JsonObject, more: Partial<HandlerCall> = {}): Promise<HandlerOutcome> {
  const find = (upstream: string, name: string) => findOperation(catalog, upstream, name);
  const merging = createMergeInterceptor({ inner, read: inner, explainFailure });
  const { handle } = merging({ findOperation: find, resourcePathOf: () => undefined });
  return handle(aCall(named(catalog, operation), { arguments: { path: 'notes.txt', ...args }, ...more }));
}

describe('a file of server-filesystem', () => {
  it('is written where it holds what was expected, and then by its version', async () => {
    const first = resultOf(await run('write_file', { content: 'second\n' }, { ifMatch: { content: 'first line\n' } }));
    expect(await content()).toBe('second\n');
    const edits = [{ oldText: 'second', newText: 'third' }];
    await run('edit_file', { edits }, { ifMatch: first._meta?.['mcp-aql/version'] });
    expect(await content()).toBe('third\n');
    await expect(run('edit_file', { edits }, { ifMatch: first._meta?.['mcp-aql/version'] })).rejects.toMatchObject({
      code: 'CONFLICT_VERSION_MISMATCH',
    });
  });

  it('is not written where it holds something else', async () => {
    await expect(run('write_file', { content: 'mine\n' }, { ifMatch: { content: 'older\n' } })).rejects.toMatchObject({
      code: 'CONFLICT_VERSION_MISMATCH',
      details: { expected: { content: 'older\n' }, current: { content: 'first line\n' } },
    });
    expect(await content()).toBe('first line\n');
  });

  it('is not written where it was changed after the first read', async () => {
    let looks = 0;
    meanwhile = async (tool) => {
      if (tool === 'read_text_file' && ++looks === 2) await writeFile(join(folder, 'notes.txt'), 'theirs\n');
    };
    await expect(
      run('write_file', { content: 'mine\n' }, { ifMatch: { content: 'first line\n' } }),
    ).rejects.toMatchObject({ code: 'CONFLICT_VERSION_MISMATCH', details: { current: { content: 'theirs\n' } } });
    expect(await content()).toBe('theirs\n');
  });

  it('is not written where it cannot be read', async () => {
    await rm(join(folder, 'notes.txt'));
    await expect(run('write_file', { content: 'mine\n' })).rejects.toMatchObject({
      message: expect.stringContaining('ENOENT'),
      details: { read_operation: 'read_text_file', outcome: 'not_run' },
    });
    await expect(content()).rejects.toThrow('ENOENT');
  });
});
