import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import type { HandlerCall, HandlerOutcome, OperationHandler } from '../../../../src/base/protocol/call.js';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import type { MergeRule } from '../../../../src/base/protocol/operation.js';
import { OperationError } from '../../../../src/base/protocol/operation-error.js';
import { RESOURCE_VERSION } from '../../../../src/base/protocol/result.js';
import type { UpdatePreview } from '../../../../src/base/protocol/update-preview.js';
import { bindArguments } from '../../../../src/catalog/arguments/bind-arguments.js';
import { createMergeInterceptor } from '../../../../src/gateway/interceptor/merge-update.js';
import { versionOf } from '../../../../src/gateway/interceptor/resource.js';
import { anOperation } from '../../../support/an-operation.js';
import { aCall, aText } from './held-interceptor.js';
import { createRecordBench, MERGE, named, RECORD, resultOf } from './record-bench.js';

const refusalOf = (promise: Promise<unknown>): Promise<OperationError> =>
  promise.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: unknown) => error as OperationError,
  );

const toolsOf = (sent: readonly [string, JsonObject][]) => sent.map(([tool]) => tool);

describe('a merging update', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['a plain value, and what the upstream demands', { title: 'New' }, { title: 'New', status: 'open' }],
    [
      'an object with the members that were left out',
      { status: 'closed', settings: { priority: 'high', tags: ['a', 'b'] } },
      { status: 'closed', settings: { priority: 'high', tags: ['a', 'b'], owner: 'alice' } },
    ],
    [
      'an object without the members that are null',
      { settings: { owner: null } },
      { status: 'open', settings: { priority: 'low', tags: ['draft'] } },
    ],
    ['null for a field, which is the upstream’s way to remove it', { note: null }, { status: 'open', note: null }],
  ])('writes %s', async (_what, args, expected) => {
    const { sent, update } = createRecordBench();
    await update(args);
    expect(sent.find(([tool]) => tool === 'update_record')).toEqual(['update_record', { recordId: 'r1', ...expected }]);
  });

  it('writes a new object where the field held none', async () => {
    const { server, update } = createRecordBench({ records: [{ id: 'r1', status: 'open', settings: null }] });
    await update({ settings: { priority: 'high', owner: null } });
    expect(server.records.get('r1')).toEqual({ id: 'r1', status: 'open', settings: { priority: 'high' } });
  });

  it('finds a field in another spelling', async () => {
    const { catalog, handle, server, sent } = createRecordBench();
    const operation = named(catalog, 'update_record');
    const spelled = operation.parameters.map((parameter) =>
      parameter.name === 'settings'
        ? { ...parameter, name: 'user_settings', upstreamName: 'user_settings' }
        : parameter,
    );
    server.records.set('r1', { id: 'r1', status: 'open', userSettings: { owner: 'alice' } });
    const args = { recordId: 'r1', user_settings: { priority: 'low' } };
    await handle(aCall({ ...operation, parameters: spelled }, { arguments: args }));
    expect(sent).toContainEqual([
      'update_record',
      { recordId: 'r1', status: 'open', user_settings: { owner: 'alice', priority: 'low' } },
    ]);
  });

  it('does not change other fields of the record', async () => {
    const { server, update } = createRecordBench();
    await update({ settings: { tags: [] } });
    expect(server.records.get('r1')).toEqual({ ...RECORD, settings: { priority: 'low', owner: 'alice', tags: [] } });
  });

  it('is refused where the merged arguments do not fit the schema, and nothing is written', async () => {
    const { sent, update } = createRecordBench();
    const refusal = await refusalOf(update({ settings: { priority: null } }));
    expect(refusal).toMatchObject({
      code: 'VALIDATION_MISSING_PARAM',
      details: { operation: 'update_record', param_name: 'input.settings.priority', outcome: 'not_run' },
    });
    expect(toolsOf(sent)).toEqual(['get_record']);
  });
});

describe('a merging update of a tool that replaces the resource', () => {
  const WHOLE: MergeRule = { ...MERGE, writes: 'whole' };
  const written = (sent: readonly [string, JsonObject][]) => sent.find(([tool]) => tool === 'update_record')?.[1];

  it('writes every field that the resource has and the tool takes', async () => {
    const { sent, update } = createRecordBench({ merge: WHOLE });
    await update({ title: 'New' });
    expect(written(sent)).toEqual({ recordId: 'r1', ...RECORD, id: undefined, title: 'New' });
  });

  it('removes a field that is null by leaving it out', async () => {
    const { sent, update } = createRecordBench({ merge: WHOLE });
    await update({ title: null });
    expect(written(sent)).toEqual({ recordId: 'r1', status: 'open', settings: RECORD.settings });
  });

  it('is refused where another writer changes a field that is written back', async () => {
    const { server, sent, update } = createRecordBench({ merge: WHOLE });
    await server.call('disturb', { id: 'r1', after: 1, fields: { settings: { priority: 'high' } } });
    expect(await refusalOf(update({ title: 'New' }))).toMatchObject({ code: 'CONFLICT_VERSION_MISMATCH' });
    expect(written(sent)).toBeUndefined();
  });
});

it.each<[MergeRule, string]>([
  [MERGE, 'title'],
  [{ ...MERGE, writes: 'whole' }, 'status'],
])('says that a field cannot be removed where the tool takes no null for it: %j', async (merge, field) => {
  const { sent, update } = createRecordBench({ merge });
  expect(await refusalOf(update({ [field]: null }))).toMatchObject({
    code: 'VALIDATION_INVALID_TYPE',
    message: expect.stringContaining(`'input.${field}' cannot be removed`),
    details: { param_name: `input.${field}`, outcome: 'not_run' },
  });
  expect(toolsOf(sent)).not.toContain('update_record');
});

it('reads as its caller, so that a denied read refuses the update and reveals nothing', async () => {
  const { sent, update } = createRecordBench({
    governRead: () => () => Promise.reject(new OperationError('PERMISSION_DENIED', "Permission denied: 'get_record'")),
  });
  const refusal = await refusalOf(update({ title: 'New' }, { ifMatch: { title: 'guess' } }));
  expect(refusal).toMatchObject({ code: 'PERMISSION_DENIED', details: { read_operation: 'get_record' } });
  expect(JSON.stringify(refusal.toFailure())).not.toContain(RECORD.title);
  expect(sent).toEqual([]);
});

it('gives the version with the READ that the update names, and with no other', async () => {
  const { catalog, handle } = createRecordBench();
  const read = await handle(aCall(named(catalog, 'get_record'), { arguments: { id: 'r1' } }));
  expect(resultOf(read)._meta).toEqual({ [RESOURCE_VERSION]: versionOf(RECORD) });
  const missing = await handle(aCall(named(catalog, 'get_record'), { arguments: { id: 'r9' } }));
  expect(resultOf(missing)._meta).toBeUndefined();
  const create = await handle(aCall(named(catalog, 'create_record'), { arguments: { id: 'r2' } }));
  expect(resultOf(create)._meta).toBeUndefined();
});

describe('binding an update that merges', () => {
  it.each<[string, JsonObject, boolean]>([
    ['a missing part of an object', { record_id: 'r1', input: { settings: { tags: [] } } }, true],
    ['a missing field that the upstream requires', { record_id: 'r1', input: { title: 'New' } }, true],
    ['a member removed by null', { record_id: 'r1', input: { settings: { owner: null } } }, true],
    ['a missing identifier', { input: { title: 'New' } }, false],
    ['a wrong type', { record_id: 'r1', input: { title: 5 } }, false],
    ['a value that is not allowed', { record_id: 'r1', input: { status: 'lost' } }, false],
    ['an unknown name', { record_id: 'r1', input: { titel: 'New' } }, false],
  ])('decides by the schema on %s', (_what, params, ok) => {
    const { catalog } = createRecordBench();
    expect(bindArguments(named(catalog, 'update_record'), params).ok).toBe(ok);
  });
});

describe('if_match', () => {
  const version = versionOf(RECORD);
  const HOLDS: readonly [string, unknown][] = [
    ['values of fields', { title: 'Old title', status: 'open' }],
    ['a value at a dotted path', { 'settings.priority': 'low', 'settings.tags.0': 'draft' }],
    ['a whole object, in any order', { settings: { tags: ['draft'], owner: 'alice', priority: 'low' } }],
    ['null for what is not there', { note: null, 'settings.color': null }],
    ['nothing in particular', {}],
    ['the version', version],
  ];
  it.each(HOLDS)('allows the update with %s', async (_what, ifMatch) => {
    const { server, update } = createRecordBench();
    await update({ title: 'New' }, { ifMatch });
    expect(server.records.get('r1')).toMatchObject({ title: 'New' });
  });

  const FAILS: readonly [string, unknown, JsonObject][] = [
    ['another value', { title: 'Older', status: 'open' }, { title: 'Old title' }],
    ['another value at a path', { 'settings.priority': 'high' }, { 'settings.priority': 'low' }],
    ['less than the whole object', { settings: { priority: 'low' } }, { settings: RECORD.settings }],
    ['a value where there is none', { note: 'x' }, { note: null }],
    ['another version', versionOf({ ...RECORD, title: 'Older' }), { title: 'Old title' }],
  ];
  it.each(FAILS)('refuses the update with %s, and nothing is written', async (_what, ifMatch, current) => {
    const { sent, update } = createRecordBench();
    const refusal = await refusalOf(update({ title: 'New' }, { ifMatch }));
    expect(refusal.toFailure().error).toEqual({
      code: 'CONFLICT_VERSION_MISMATCH',
      message: expect.stringMatching(
        /^'update_record' was not attempted: .* send it again with 'if_match' set to current_version$/,
      ),
      details: { operation: 'update_record', expected: ifMatch, current, current_version: version },
    });
    expect(toolsOf(sent)).toEqual(['get_record']);
  });

  it('allows the update with the version that a conflict returned', async () => {
    const { server, update } = createRecordBench();
    const { details } = await refusalOf(update({ title: 'New' }, { ifMatch: { title: 'x' } }));
    await update({ title: 'New' }, { ifMatch: details['current_version'] });
    expect(server.records.get('r1')).toMatchObject({ title: 'New' });
  });

  it.each([
    ['VALIDATION_INVALID_TYPE', 5],
    ['VALIDATION_INVALID_TYPE', ['title']],
    ['VALIDATION_INVALID_VALUE', 'Old title'],
  ])('answers %s to %j without asking the upstream', async (code, ifMatch) => {
    const { sent, update } = createRecordBench();
    expect(await refusalOf(update({ title: 'New' }, { ifMatch }))).toMatchObject({
      code,
      details: { param_name: 'if_match' },
    });
    expect(sent).toEqual([]);
  });

  it('is not sent to the upstream', async () => {
    const calls: HandlerCall[] = [];
    const wrap =
      (inner: OperationHandler): OperationHandler =>
      (call) => {
        calls.push(call);
        return inner(call);
      };
    await createRecordBench({ wrap }).update({ title: 'New' }, { ifMatch: { status: 'open' } });
    expect(calls.filter((call) => 'ifMatch' in call)).toEqual([]);
  });
});

describe('a change between reading and writing', () => {
  it.each<[string, JsonObject, JsonObject, unknown, JsonObject, JsonObject]>([
    [
      'of an object that is written back',
      { settings: { priority: 'high' } },
      { settings: { ...RECORD.settings, owner: 'bob' } },
      undefined,
      { settings: RECORD.settings },
      { settings: { ...RECORD.settings, owner: 'bob' } },
    ],
    [
      'of what is demanded',
      { title: 'New' },
      { status: 'closed' },
      undefined,
      { status: 'open' },
      { status: 'closed' },
    ],
    [
      'of what was expected',
      { status: 'closed' },
      { title: 'Mine' },
      { title: 'Old title' },
      { title: 'Old title' },
      { title: 'Mine' },
    ],
    [
      'of anything where a version was given',
      { status: 'closed' },
      { note: 'psst' },
      versionOf(RECORD),
      { note: null },
      { note: 'psst' },
    ],
  ])('is a conflict with the changed values: %s', async (_what, args, fields, ifMatch, expected, current) => {
    const { sent, server, update } = createRecordBench();
    await server.call('disturb', { id: 'r1', after: 1, fields });
    const refusal = await refusalOf(update(args, ifMatch === undefined ? {} : { ifMatch }));
    expect(refusal).toMatchObject({
      code: 'CONFLICT_VERSION_MISMATCH',
      details: { expected, current, current_version: versionOf({ ...RECORD, ...fields }) },
    });
    expect(toolsOf(sent)).toEqual(['get_record', 'get_record']);
    expect(server.records.get('r1')).toEqual({ ...RECORD, ...fields });
  });

  it('of other fields is ignored', async () => {
    const { server, update } = createRecordBench();
    await server.call('disturb', { id: 'r1', after: 1, fields: { title: 'Theirs' } });
    await update({ settings: { priority: 'high' } });
    expect(server.records.get('r1')).toMatchObject({ title: 'Theirs', settings: { priority: 'high', owner: 'alice' } });
  });

  it.each([
    ['after the second look is overwritten: the window that no reading can close', 2, ['draft']],
    ['after the write stays', 3, ['theirs']],
  ])('%s', async (_what, after, tags) => {
    const { server, update } = createRecordBench();
    await server.call('disturb', { id: 'r1', after, fields: { settings: { priority: 'urgent', tags: ['theirs'] } } });
    await update({ settings: { priority: 'high' } });
    expect(server.records.get('r1')?.['settings']).toMatchObject({ tags });
  });

  it('is not checked where nothing is written back or expected', async () => {
    const { sent, update } = createRecordBench();
    await update({ title: 'New', status: 'closed' });
    expect(toolsOf(sent)).toEqual(['get_record', 'update_record', 'get_record']);
  });
});

describe('the answer of a merging update', () => {
  it("is the upstream's, with the new version, which the next update may expect", async () => {
    const { server, update } = createRecordBench();
    const result = resultOf(await update({ title: 'New' }));
    expect(result.structuredContent).toEqual({ updated: true });
    expect(result._meta).toEqual({ [RESOURCE_VERSION]: versionOf(server.records.get('r1') ?? {}) });
    await update({ title: 'Newer' }, { ifMatch: result._meta?.[RESOURCE_VERSION] });
    expect(server.records.get('r1')).toMatchObject({ title: 'Newer' });
  });

  it("is the upstream's alone where the new state cannot be read", async () => {
    let reads = 0;
    const wrap =
      (inner: OperationHandler): OperationHandler =>
      async (call) => {
        if (call.operation.tool === 'get_record' && ++reads === 2) throw new OperationError('INTERNAL_ERROR', 'gone');
        return inner(call);
      };
    const { update } = createRecordBench({ wrap });
    const result = resultOf(await update({ title: 'New', status: 'open' }));
    expect(result.structuredContent).toEqual({ updated: true });
    expect(result._meta).toBeUndefined();
  });

  it("is the upstream's where it refuses the update", async () => {
    const wrap =
      (inner: OperationHandler): OperationHandler =>
      (call) =>
        call.operation.tool === 'update_record'
          ? Promise.resolve({ toolResult: { ...aText('read-only today'), isError: true } })
          : inner(call);
    const { update } = createRecordBench({ wrap });
    expect(resultOf(await update({ title: 'New' }))).toEqual({ ...aText('read-only today'), isError: true });
  });
});

describe('a read that fails', () => {
  it("as a tool is answered in the upstream's words, and nothing is written", async () => {
    const { sent, update } = createRecordBench({ records: [] });
    expect(await refusalOf(update({ title: 'New' }))).toMatchObject({
      code: 'NOT_FOUND_RESOURCE',
      message:
        "The update was not attempted, because 'get_record' could not read the resource. Resource not found: 'Record r1 does not exist'",
      details: {
        operation: 'update_record',
        read_operation: 'get_record',
        outcome: 'not_run',
        upstream_error: 'Record r1 does not exist',
      },
    });
    expect(toolsOf(sent)).toEqual(['get_record']);
  });

  it('because of the connection keeps its error, with the name of the read', async () => {
    const gone = new OperationError('INTERNAL_ERROR', "Internal error: 'it is away'", { retryable: true });
    const { update } = createRecordBench({ wrap: () => () => Promise.reject(gone) });
    expect(await refusalOf(update({ title: 'New' }))).toMatchObject({
      code: 'INTERNAL_ERROR',
      message: expect.stringContaining("was not attempted, because 'get_record' could not read"),
      details: { retryable: true, outcome: 'not_run' },
      cause: gone,
    });
  });

  it('because of a defect stays a defect', async () => {
    const defect = new TypeError('a bug');
    const { update } = createRecordBench({ wrap: () => () => Promise.reject(defect) });
    expect(await refusalOf(update({ title: 'New' }))).toBe(defect);
  });
});

describe('a faulty curation', () => {
  it.each<[string, MergeRule, string]>([
    ['names nothing', { ...MERGE, read: 'get_recrod' }, 'merge.read'],
    ['names what is no READ', { ...MERGE, read: 'create_record' }, 'merge.read'],
    ['does not say where the identifier is', { read: 'get_record', path: 'record' }, 'merge.identifiers'],
    ['takes an identifier that does not exist', { ...MERGE, identifiers: { id: 'uuid' } }, 'merge.identifiers'],
    ['leads to no object', { ...MERGE, path: 'record.title' }, 'merge.path'],
    ['leads nowhere', { ...MERGE, path: 'item' }, 'merge.path'],
  ])('is answered with the faulty setting: %s', async (_what, merge, setting) => {
    const { sent, update } = createRecordBench({ merge });
    const refusal = await refusalOf(update({ title: 'New' }));
    expect(refusal).toMatchObject({
      code: 'INTERNAL_ERROR',
      message: expect.stringMatching(new RegExp(`^Internal error: 'update_record was not attempted: ${setting} `)),
      details: { operation: 'update_record', upstream: 'demo', setting, retryable: false },
    });
    expect(toolsOf(sent)).not.toContain('update_record');
  });

  it.each(['get_record', 'demo__get_record'])('is not one that names the read %s', async (read) => {
    const { server, update } = createRecordBench({ merge: { ...MERGE, read } });
    await update({ title: 'New' });
    expect(server.records.get('r1')).toMatchObject({ title: 'New' });
  });
});

it('gives a read of several ids a list of one, and finds an object inside a list or a text', async () => {
  const text = { type: 'string' };
  const read = anOperation({
    name: 'open_notes',
    parameters: [
      { name: 'ids', upstreamName: 'ids', place: 'params', required: true, schema: { type: 'array', items: text } },
    ],
    inputSchema: { type: 'object', properties: { ids: { type: 'array', items: text } }, required: ['ids'] },
  });
  const { catalog } = createRecordBench();
  const merge: MergeRule = { read: 'open_notes', identifiers: { ids: 'record_id' }, path: 'notes.0' };
  const sent: JsonObject[] = [];
  const inner: OperationHandler = async ({ operation, arguments: args }) => {
    sent.push(args);
    return { toolResult: operation === read ? aText('{"notes":[{"status":"open"}]}') : aText('done') };
  };
  const { handle } = createMergeInterceptor({
    inner,
    read: inner,
    explainFailure: () => new OperationError('INTERNAL_ERROR', 'not asked'),
  })({ findOperation: () => read, resourcePathOf: () => undefined });
  const operation = { ...named(catalog, 'update_record'), merge };
  await handle(aCall(operation, { arguments: { recordId: 'r1', title: 'New' } }));
  expect(sent.slice(0, 1)).toEqual([{ ids: ['r1'] }]);
  expect(sent).toContainEqual({ recordId: 'r1', title: 'New', status: 'open' });
});

it('passes progress and cancellation to the write, and other operations unchanged', async () => {
  const calls: HandlerCall[] = [];
  const wrap =
    (inner: OperationHandler): OperationHandler =>
    (call) => {
      calls.push(call);
      return inner(call);
    };
  const { catalog, handle, update } = createRecordBench({ wrap });
  const cancellation = new Cancellation();
  const onProgress = () => undefined;
  await update({ title: 'New', status: 'open' }, { cancellation, onProgress });
  expect(calls.map((call) => [call.operation.tool, call.onProgress, call.cancellation])).toEqual([
    ['get_record', undefined, cancellation],
    ['update_record', onProgress, cancellation],
    ['get_record', undefined, cancellation],
  ]);
  const read = aCall(named(catalog, 'get_record'), { arguments: { id: 'r1' } });
  await handle(read);
  expect(calls.at(-1)).toBe(read);
});

const WHOLE = { ...MERGE, writes: 'whole' } as const;

type Known = Extract<UpdatePreview, { known: true }>;

const known = (preview: UpdatePreview): Known => {
  if (!preview.known) throw new Error(preview.why);
  return preview;
};

describe('the preview of an update that merges', () => {
  it.each<[string, JsonObject, Known['changes']]>([
    ['a value', { title: 'New' }, [{ path: ['title'], before: 'Old title', after: 'New' }]],
    ['nothing where the value is the same', { title: 'Old title' }, []],
    [
      'the members of an object that differ',
      { settings: { priority: 'low', tags: [], owner: null } },
      [
        { path: ['settings', 'tags'], before: ['draft'], after: [] },
        { path: ['settings', 'owner'], before: 'alice' },
      ],
    ],
    ['a field that is not there yet', { note: 'seen' }, [{ path: ['note'], after: 'seen' }]],
  ])('shows %s, and writes nothing', async (_what, args, changes) => {
    const { preview, sent, server } = createRecordBench();
    const shown = known(await preview(args));
    expect(shown).toMatchObject({ read: 'get_record', before: RECORD, changes });
    expect(sent.map(([tool]) => tool)).toEqual(['get_record']);
    expect(server.records.get('r1')).toEqual(RECORD);
  });

  it('shows as removed what a tool that replaces the whole is not sent', async () => {
    const { preview } = createRecordBench({ merge: WHOLE });
    const { changes, after } = known(await preview({ title: null }));
    expect(changes).toEqual([{ path: ['title'], before: 'Old title' }]);
    expect(after).not.toHaveProperty('title');
    expect(after).toHaveProperty('id', 'r1');
  });

  it('shows exactly what the update then writes', async () => {
    const { preview, update, server } = createRecordBench();
    const { after } = known(await preview({ settings: { owner: 'bob' }, status: 'closed' }));
    await update({ settings: { owner: 'bob' }, status: 'closed' });
    expect(server.records.get('r1')).toEqual(after);
  });

  it('says why the resource cannot be read, which refuses nothing', async () => {
    const denied = () => Promise.reject(new OperationError('PERMISSION_DENIED', 'not for you', {}));
    const { preview } = createRecordBench({ governRead: () => denied });
    expect(await preview({ title: 'New' })).toEqual({ known: false, why: 'not for you' });
    const missing = await createRecordBench({ records: [] }).preview({ title: 'New' });
    expect(missing).toEqual({ known: false, why: expect.stringContaining('Resource not found') });
  });

  it('refuses at once what nobody could agree to', async () => {
    const { preview } = createRecordBench();
    await expect(preview({ title: 'New' }, { ifMatch: { status: 'closed' } })).rejects.toMatchObject({
      code: 'CONFLICT_VERSION_MISMATCH',
    });
    await expect(preview({ settings: { priority: null } })).rejects.toMatchObject({ code: 'VALIDATION_MISSING_PARAM' });
  });
});

describe('an update that was agreed to', () => {
  const CHANGE = { title: 'New', settings: { priority: 'high' } };

  async function agreed() {
    const bench = createRecordBench();
    return { ...bench, agreedChanges: known(await bench.preview(CHANGE)).digest };
  }

  it('is written where it makes the changes that were shown, whatever else has changed', async () => {
    const { server, update, agreedChanges } = await agreed();
    const settings = { ...RECORD.settings, owner: 'bob' };
    server.records.set('r1', { ...RECORD, status: 'closed', settings });
    await update(CHANGE, { agreedChanges });
    expect(server.records.get('r1')).toEqual({
      ...RECORD,
      title: 'New',
      status: 'closed',
      settings: { ...settings, priority: 'high' },
    });
  });

  it.each<[string, JsonObject]>([
    ['another value stands where one would be replaced', { title: 'Newer title' }],
    ['a value is gone', { title: undefined }],
    ['a value is the new one already', { title: 'New' }],
    ['an object is gone in which a member would change', { settings: { priority: 'urgent' } }],
  ])('is refused where %s, and says how to ask again', async (_what, fields) => {
    const { server, sent, update, agreedChanges } = await agreed();
    server.records.set('r1', JSON.parse(JSON.stringify({ ...RECORD, ...fields })));
    await expect(update(CHANGE, { agreedChanges })).rejects.toMatchObject({
      code: 'CONFLICT_VERSION_MISMATCH',
      message: expect.stringContaining('send it again without a token'),
      details: { reason: 'changed_since_agreement', current_version: expect.any(String) },
    });
    expect(sent.map(([tool]) => tool)).not.toContain('update_record');
  });

  it('is refused where a value changes between its last two reads', async () => {
    const { server, sent, update, agreedChanges } = await agreed();
    await server.call('disturb', { id: 'r1', after: 1, fields: { title: 'Meanwhile' } });
    await expect(update(CHANGE, { agreedChanges })).rejects.toMatchObject({ code: 'CONFLICT_VERSION_MISMATCH' });
    expect(sent.map(([tool]) => tool)).not.toContain('update_record');
  });
});

const MEMBERS = ['priority', 'owner', 'color', 'size'] as const;

/** Each call reaches the server, and its answer the caller, when the scheduler says so. */
const unordered =
  (scheduler: fc.Scheduler) =>
  (inner: OperationHandler): OperationHandler =>
  async (call): Promise<HandlerOutcome> => {
    await scheduler.schedule(Promise.resolve(), `to ${call.operation.tool}`);
    const outcome = await inner(call);
    await scheduler.schedule(Promise.resolve(), `from ${call.operation.tool}`);
    return outcome;
  };

it('no update of a member is lost, however many come at the same time in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.record({ member: fc.constantFrom(...MEMBERS), value: fc.nat(9).map(String) }), {
        minLength: 2,
        maxLength: 6,
      }),
      async (scheduler, changes) => {
        const { server, update } = createRecordBench({ wrap: unordered(scheduler) });
        const outcomes = changes.map(({ member, value }) => update({ settings: { [member]: value } }));
        await scheduler.waitFor(Promise.all(outcomes));
        for (const outcome of outcomes) expect(resultOf(await outcome).isError).toBeUndefined();
        // They are written in the order in which they came.
        const expected = Object.fromEntries(changes.map(({ member, value }) => [member, value]));
        expect(server.records.get('r1')?.['settings']).toMatchObject(expected);
      },
    ),
    { numRuns: 50 },
  );
});
