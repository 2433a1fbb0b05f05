import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import { OperationError } from '../../../../src/base/protocol/operation-error.js';
import type { UpdatePreview } from '../../../../src/base/protocol/update-preview.js';
import { createRecordBench, MERGE, RECORD } from './record-bench.js';

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
