import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { makeDirectory, type RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient, type McpClient } from '../support/mcp-client.js';
import { type ReplayServer, startReplayServer } from '../support/replay-server.js';
import { runCli } from '../support/run-cli.js';

const ISSUE_WRITE = {
  name: 'issue_write',
  description: 'Create, change or remove an issue.',
  inputSchema: {
    type: 'object',
    properties: {
      method: { type: 'string', enum: ['create', 'update', 'delete'], description: "'create' opens a new issue" },
      owner: { type: 'string' },
      issue_number: { type: 'integer' },
      title: { type: 'string' },
    },
    required: ['method', 'owner'],
  },
};

/** One schema for each value, in the form that generators of discriminated unions write. */
const BRANCH = {
  name: 'manage_branches',
  description: 'Manage branches.',
  inputSchema: {
    type: 'object',
    oneOf: [
      { properties: { action: { const: 'list' }, page: { type: 'integer' } }, required: ['action'] },
      { properties: { action: { const: 'delete' }, branch: { type: 'string' } }, required: ['action', 'branch'] },
    ],
  },
};

const BELT = {
  name: 'belt_control',
  description: 'Controls the belt.',
  inputSchema: { type: 'object', properties: { action: { enum: ['start', 'stop'] } }, required: ['action'] },
};

let upstream: ReplayServer;
let gateway: RunningGateway;
let client: McpClient;

const serversOf = (replay: ReplayServer): JsonObject => ({
  tracker: {
    url: replay.urlOf('tracker'),
    operations: { delete_issue: { danger: 'reversible' }, delete_branches: { danger: 'reversible' } },
  },
  kept: { url: replay.urlOf('kept'), group: 'keep' },
});

beforeAll(async () => {
  upstream = await startReplayServer(
    new Map([
      ['tracker', [ISSUE_WRITE, BRANCH, BELT]],
      ['kept', [{ ...ISSUE_WRITE, name: 'page_write' }]],
    ]),
  );
  gateway = await hostGateway({ mcpServers: serversOf(upstream) });
  client = await connectClient(gateway.url);
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

/** What the upstream received. */
const received = ({ data }: Answer): unknown => data;

describe('a grouped tool', () => {
  it('is listed as one operation for each value, each in its own family', async () => {
    const answer = await client.introspect({ query: 'operations' });
    const listed = (answer.data.operations as readonly { name: string; endpoint: string }[]).map(
      ({ name, endpoint }) => `${endpoint} ${name}`,
    );
    expect(listed.toSorted()).toEqual([
      'create create_issue',
      'delete delete_branches',
      'delete delete_issue',
      'delete page_write',
      'execute belt_control',
      'read introspect',
      'read list_branches',
      'update update_issue',
    ]);
  });

  it('is described without the parameter that chooses the operation', async () => {
    const answer = await client.introspect({ query: 'operations', name: 'create_issue', include: ['input_schema'] });
    const { operation } = answer.data;
    expect(operation.description).toMatch(/^Opens a new issue \('issue_write' with method 'create'\)\./);
    expect((operation.parameters as readonly { name: string }[]).map(({ name }) => name)).toEqual([
      'owner',
      'issue_number',
      'title',
      'dry_run',
    ]);
    expect(JSON.stringify(operation.input_schema)).not.toContain('"method"');
    expect((await client.introspect({ query: 'operations', name: 'issue_write' })).data).toEqual({ operation: null });
  });

  it('is called with the value that the operation fixes', async () => {
    const created = await client.call('mcp_aql_create', 'create_issue', { owner: 'a', title: 't' });
    expect(received(created)).toEqual({
      name: 'issue_write',
      arguments: { owner: 'a', title: 't', method: 'create' },
    });
    const updated = await client.call('mcp_aql_update', 'update_issue', {
      owner: 'a',
      issue_number: 1,
      input: { title: 't' },
    });
    expect(received(updated)).toEqual({
      name: 'issue_write',
      arguments: { owner: 'a', issue_number: 1, title: 't', method: 'update' },
    });
    const deleted = await client.call('mcp_aql_delete', 'delete_branches', { branch: 'b' });
    expect(received(deleted)).toEqual({ name: 'manage_branches', arguments: { branch: 'b', action: 'delete' } });
  });

  it('refuses another value through one of its operations', async () => {
    const { error } = await client.call('mcp_aql_create', 'create_issue', { owner: 'a', method: 'delete' });
    expect(error).toMatchObject({ code: 'VALIDATION_UNKNOWN_PARAM', details: { unknown_params: ['method'] } });
  });

  it("accepts only the parameters of the operation's own value", async () => {
    const { error } = await client.call('mcp_aql_read', 'list_branches', { branch: 'b' });
    expect(error).toMatchObject({
      code: 'VALIDATION_UNKNOWN_PARAM',
      details: { valid_params: expect.arrayContaining(['page']) },
    });
    expect(error?.message).toContain("Valid: 'page'");
    const missing = await client.call('mcp_aql_delete', 'delete_branches');
    expect(missing.error).toMatchObject({ code: 'VALIDATION_MISSING_PARAM', details: { param_name: 'branch' } });
  });
});

describe("a grouped tool's own name", () => {
  it.each(['issue_write', 'tracker__issue_write', 'mcp__tracker__issue_write'])(
    '%s is answered with its operations and an example for the given value',
    async (name) => {
      const given = { method: 'update', owner: 'a', issue_number: 3, title: 't' };
      const { error } = await client.call('mcp_aql_read', name, given);
      expect(error?.code).toBe('NOT_FOUND_OPERATION');
      expect(error?.message).toBe(
        `Unknown operation: '${name}'. Call 'update_issue'. It is offered as one operation for each 'method': 'create_issue' (create), 'delete_issue' (delete), 'update_issue' (update)`,
      );
      expect(error?.details?.['candidates']).toContainEqual({
        operation: 'delete_issue',
        endpoint: 'delete',
        tool: 'mcp_aql_delete',
        fixed: { method: 'delete' },
      });
      const example = error?.details?.['example'] as { tool: string; arguments: JsonObject };
      expect(example).toEqual({
        tool: 'mcp_aql_update',
        arguments: { operation: 'update_issue', params: { owner: 'a', issue_number: 3, input: { title: 't' } } },
      });
      expect(received(await client.callTool(example.tool, example.arguments))).toMatchObject({ arguments: given });
    },
  );

  it('is answered with an example of the least dangerous operation when no value is given', async () => {
    const { error } = await client.call('mcp_aql_read', 'manage_branches', {});
    expect(error?.details?.['example']).toMatchObject({ arguments: { operation: 'list_branches' } });
  });
});

it('classify --json prints each operation with its tool and the parameter that chooses it', async () => {
  await using directory = await makeDirectory();
  const file = join(directory.path, 'gateway.config.json');
  await writeFile(file, JSON.stringify({ mcpServers: serversOf(upstream) }));
  const { stdout } = await runCli(['classify', '--json', '--config', file]);
  const rows = JSON.parse(stdout) as readonly Record<string, unknown>[];
  expect(rows.map(({ tool, operation, category, grouped_by }) => [tool, operation, category, grouped_by])).toEqual([
    ['belt_control', 'belt_control', 'EXECUTE', 'action'],
    ['issue_write', 'create_issue', 'CREATE', 'method'],
    ['manage_branches', 'delete_branches', 'DELETE', 'action'],
    ['issue_write', 'delete_issue', 'DELETE', 'method'],
    ['manage_branches', 'list_branches', 'READ', 'action'],
    ['page_write', 'page_write', 'DELETE', 'method'],
    ['issue_write', 'update_issue', 'UPDATE', 'method'],
  ]);
});
