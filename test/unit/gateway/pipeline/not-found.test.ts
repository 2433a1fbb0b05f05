import { describe, expect, it } from 'vitest';
import type { DangerLevel } from '../../../../src/base/protocol/operation.js';
import type { UpstreamConfig } from '../../../../src/config/gateway-config.js';
import { openCapturedGateway, readCapturedLists } from '../../../../src/gateway/captured-gateway.js';
import { choosePart } from '../../../../src/gateway/pipeline/not-found.js';
import { anOperation } from '../../../support/an-operation.js';
import { createFakeGateway } from '../../../support/fake-gateway.js';
import { FAKE_CRUDE } from '../../catalog/endpoint/fake-catalog.js';

const TOOLS = [
  'create_issue',
  'list_issues',
  'get_issue',
  'add_comment',
  'list_branches',
  'getUser',
  'confirm_operation',
  'wipe_disk',
].map((name) => ({
  name,
  description: `Does ${name.replace('_', ' ')}.`,
  inputSchema: { type: 'object', properties: {} },
}));

const forbidWiping = (upstream: UpstreamConfig): UpstreamConfig => ({
  ...upstream,
  curation: [{ pattern: 'wipe_disk', danger: 'forbidden' }],
});

async function callUnknown(operation: string, servers: readonly string[] = ['forge']) {
  const lists = readCapturedLists(
    servers.map((name) => ({ name, json: { tools: TOOLS } })),
    [],
  );
  const { config } = createFakeGateway();
  const endpoint = { ...config.endpoint, profile: FAKE_CRUDE };
  const gateway = openCapturedGateway(
    { ...config, endpoint, upstreams: lists.upstreams.map(forbidWiping) },
    lists.toolSets,
  );
  const tool = (await gateway.toolList(undefined)).tools[0]?.name ?? '';
  const caller = { sessionId: 'session', clientName: 'test', transport: 'cli' } as const;
  const { text } = await gateway.handle({ tool, arguments: { operation }, caller } as Parameters<
    typeof gateway.handle
  >[0]);
  return JSON.parse(text) as {
    error: {
      code: string;
      message: string;
      details: { available: string[]; candidates: { operation: string; endpoint: string }[] };
    };
  };
}

describe('a name of several upstreams', () => {
  it('is answered with the qualified names, and with no example, which would send the call to one of them', async () => {
    const { error } = await callUnknown('list_issues', ['forge', 'tracker']);
    expect(error.message).toContain("use one of the qualified names: 'forge__list_issues', 'tracker__list_issues'");
    expect(error.details.candidates).toHaveLength(2);
    expect(error.details).not.toHaveProperty('example');
  });

  it.each(['getUser', 'lst_issues'])('has no example either where it is spelled in another way: %s', async (name) => {
    const { error } = await callUnknown(name, ['forge', 'tracker']);
    expect(error.details.candidates.length).toBeGreaterThan(1);
    expect(error.details).not.toHaveProperty('example');
  });
});

describe('an unknown operation name', () => {
  it('is answered with a name of similar spelling', async () => {
    const { error } = await callUnknown('creat_isue');
    expect(error.code).toBe('NOT_FOUND_OPERATION');
    expect(error.message).toMatch(/^Unknown operation: 'creat_isue'\. Did you mean 'create_issue'/);
  });

  it('is otherwise answered with at most three operations of similar meaning, each with its family', async () => {
    const { error } = await callUnknown('file_new_bug_ticket');
    expect(error.code).toBe('NOT_FOUND_OPERATION');
    const { available, candidates } = error.details;
    expect(available.length).toBeLessThanOrEqual(3);
    expect(available).toEqual(candidates.map(({ operation }) => operation));
    expect(candidates[0]).toMatchObject({ operation: 'create_issue', endpoint: 'create' });
    expect(error.message).toContain("'create_issue'");
  });

  it('is answered without any tool where the protocol reserves the name', async () => {
    const { error } = await callUnknown('confirm_operation');
    expect(error.message).toMatch(/^Unknown operation: 'confirm_operation'\. The name is reserved by the protocol/);
    expect(error.details).toEqual({ operation: 'confirm_operation', available: [] });
  });

  it.each([
    ['Create_Issue', "The operation is called 'create_issue'"],
    ['getUser', "This is the upstream's own name; the operation is called 'get_user'"],
    ['mcp__forge__getUser', "This is the upstream's own name; the operation is called 'get_user'"],
    ['forge__creat_issue', "Upstream 'forge' offers no such operation. Did you mean 'create_issue'"],
    ['forje__create_issue', "No upstream is called 'forje'. Use one of: 'forge'"],
  ])('%s is explained by what it is', async (name, words) => {
    expect((await callUnknown(name)).error.message).toContain(`Unknown operation: '${name}'. ${words}`);
  });

  it('is never answered with an operation that policy always denies', async () => {
    const { error } = await callUnknown('wipe_dis');
    expect(JSON.stringify(error)).not.toContain('wipe_disk');
  });

  it('is answered with how to list all operations when nothing is similar', async () => {
    const { error } = await callUnknown('xqzvw');
    expect(error.message).toContain('introspect');
    expect(error.details.available).toEqual([]);
  });

  it('that is longer than any name is repeated by its beginning, and compared with nothing', async () => {
    const { error } = await callUnknown('create_issue'.repeat(5_000));
    expect(error.code).toBe('NOT_FOUND_OPERATION');
    expect(error.message.length).toBeLessThan(300);
    expect(error.details.available).toEqual([]);
  });
});

const part = (value: string, level: DangerLevel) => {
  const classification = { ...anOperation().classification, danger: { level, reasons: [] } };
  return anOperation({ name: `${value}_crate`, fixedArguments: { crateMethod: value }, classification });
};

const parts = [part('delete', 'destructive'), part('create', 'reversible'), part('rename', 'reversible')];

describe('choosePart', () => {
  it.each([
    [{ crateMethod: 'rename', name: 'x' }, { name: 'x' }],
    [{ crate_method: 'RENAME', name: 'x' }, { name: 'x' }],
    [
      { id: 1, input: { crateMethod: 'rename', name: 'x' } },
      { id: 1, input: { name: 'x' } },
    ],
  ])('finds the part that %j means and removes the parameter that chooses', (given, params) => {
    const chosen = choosePart(parts, given);
    expect(chosen).toMatchObject({ operation: { name: 'rename_crate' }, params, meant: true });
    expect(chosen?.params).toEqual(params);
  });

  it.each([{}, { crateMethod: 'wipe' }, { crateMethod: { delete: 1 } }])(
    'takes the least dangerous where %j does not say',
    (given) => {
      expect(choosePart(parts, given)).toEqual({ operation: parts[1], params: {}, meant: false });
    },
  );

  it('returns undefined when there are no parts', () => {
    expect(choosePart([], { crateMethod: 'rename' })).toBeUndefined();
  });
});
