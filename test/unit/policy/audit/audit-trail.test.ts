import { EventEmitter, once } from 'node:events';
import fs, { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AuditEvent, expireJournals, noAuditTrail } from '../../../../src/policy/audit/audit-trail.js';
import { createJournalIndex } from '../../../../src/policy/audit/journal/journal-index.js';
import { verifyJournals } from '../../../../src/policy/audit/verify.js';
import { anEvent, DAY, makeAuditFolder, parseLines } from './audit-folder.js';

describe('a journal', () => {
  it('is not made for a gateway that records nothing', async () => {
    const folder = makeAuditFolder();
    await (await folder.open()).close();
    expect(existsSync(folder.directory)).toBe(false);
    expect(await folder.open({ enabled: false })).toBe(noAuditTrail);
  });

  it('is one file per process, readable only by its user, with a line for each record', async () => {
    const folder = makeAuditFolder();
    const file = await folder.journal(2);
    expect(folder.files()).toEqual([file]);
    expect(file).toMatch(new RegExp(`^2026-11-22T12-00-00\\.001Z-${process.pid}-[0-9a-f]{8}\\.jsonl$`));
    expect(statSync(folder.directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder.directory, file)).mode & 0o777).toBe(0o600);
    expect(folder.read(file)).toMatch(/^\{"seq":1,"time":"2026-11-22T12:00:00\.001Z","type":"opened",/);
    const records = folder.records();
    expect(records).toMatchObject([
      { seq: 1, type: 'opened', format: 1, process: 'test', pid: process.pid, previous: [], prev: '' },
      { seq: 2, time: '2026-11-22T12:00:00.001Z', ...anEvent(0) },
      { seq: 3, time: '2026-11-22T12:00:00.002Z', ...anEvent(1) },
      { seq: 4, type: 'closed' },
    ]);
    for (const [index, record] of records.slice(1).entries()) expect(record.prev).toBe(records[index]?.hash);
  });

  it('names the last records that no other journal names', async () => {
    const folder = makeAuditFolder();
    await folder.journal(1);
    await folder.journal(1);
    await folder.journal(1);
    const [first, second, third] = folder.files().map((file) => ({ file, records: parseLines(folder.read(file)) }));
    const end = (journal: typeof first) => {
      const last = journal?.records.at(-1);
      return { file: journal?.file, seq: last?.seq, hash: last?.hash };
    };
    expect(second?.records[0]).toMatchObject({ previous: [end(first)] });
    expect(third?.records[0]).toMatchObject({ previous: [end(second)] });
  });

  it('may be written beside other live journals in one directory', async () => {
    const folder = makeAuditFolder();
    const trails = await Promise.all([folder.open(), folder.open(), folder.open()]);
    for (let index = 0; index < 300; index += 1) trails[index % 3]?.record(anEvent(index));
    await Promise.all(trails.map((trail) => trail.close()));
    expect(folder.files()).toHaveLength(3);
    expect(await verifyJournals(folder.directory)).toMatchObject({ records: 306, faults: [], notes: [] });
  });

  it.each([
    ['at the change of a day (UTC)', {}, DAY / 2],
    ['when it is large', { maxFileBytes: 10 }, 0],
  ])('is followed by another %s, which names it', async (_when, deps, later) => {
    const folder = makeAuditFolder();
    const trail = await folder.open({}, deps);
    trail.record(anEvent(0));
    await trail.flush();
    folder.clock.now += later + 1;
    trail.record(anEvent(1));
    await trail.close();
    const [old, next] = folder.files();
    const [before, after] = [parseLines(folder.read(old ?? '')), parseLines(folder.read(next ?? ''))];
    expect(before.map(({ type }) => type)).toEqual(['opened', 'call', 'closed']);
    expect(after[0]).toMatchObject({ type: 'opened', continues: { file: old, seq: 3, hash: before[2]?.hash } });
    expect(after[1]).toMatchObject(anEvent(1));
    expect(await verifyJournals(folder.directory)).toMatchObject({ faults: [], notes: [] });
  });

  it('that was removed while open is followed by another', async () => {
    const folder = makeAuditFolder();
    const trail = await folder.open();
    trail.record(anEvent(0));
    await trail.flush();
    const [old = ''] = folder.files();
    rmSync(join(folder.directory, old));
    trail.record(anEvent(1));
    await trail.close();
    expect(folder.records()).toMatchObject([{ continues: { file: old } }, anEvent(1), { type: 'closed' }]);
    const { faults } = await verifyJournals(folder.directory);
    expect(faults).toEqual([expect.objectContaining({ file: old, problem: expect.stringContaining('missing') })]);
  });
});

describe('recording', () => {
  it('writes a record without a flush', async () => {
    const folder = makeAuditFolder();
    const trail = await folder.open();
    trail.record(anEvent(0));
    mkdirSync(folder.directory, { recursive: true });
    const watcher = fs.watch(folder.directory);
    while (!folder.files().some((file) => folder.read(file).includes('"call"'))) await once(watcher, 'change');
    watcher.close();
    await trail.close();
  });

  it('writes each record to disk before it returns with audit.sync', async () => {
    const folder = makeAuditFolder();
    const synced: number[] = [];
    const disk = { ...fs, fdatasyncSync: (fd: number) => void synced.push(fs.fstatSync(fd).size) };
    const trail = await folder.open({ sync: true }, { disk });
    for (let index = 0; index < 3; index += 1) {
      trail.record(anEvent(index));
      expect(folder.records().at(-1)).toMatchObject(anEvent(index));
      expect(synced).toHaveLength(index + 1);
      expect(synced.at(-1)).toBe(folder.read(folder.files()[0] ?? '').length);
    }
    await trail.flush();
    await trail.close();
    expect(await verifyJournals(folder.directory)).toMatchObject({ records: 5, faults: [], notes: [] });
  });

  it('has on disk after a flush what was recorded before it, while more is recorded', async () => {
    const folder = makeAuditFolder();
    let synced = 0;
    const fdatasync = ((fd: number, done: fs.NoParamCallback) => {
      synced = fs.fstatSync(fd).size;
      fs.fdatasync(fd, done);
    }) as typeof fs.fdatasync;
    const trail = await folder.open({}, { disk: { ...fs, fdatasync } });
    trail.record(anEvent(0));
    const first = trail.flush();
    trail.record(anEvent(1));
    const second = trail.flush();
    await first;
    expect(folder.records().some((record) => record['operation'] === 'demo__delete_0')).toBe(true);
    await second;
    expect(folder.records().some((record) => record['operation'] === 'demo__delete_1')).toBe(true);
    expect(synced).toBe(folder.read(folder.files()[0] ?? '').length);
    await trail.close();
  });

  it('cuts the long members of a record to 8 kB in all, with the length and the digest of each', async () => {
    const folder = makeAuditFolder();
    await folder.journal(1, () =>
      anEvent(0, {
        parameters: { text: 'x'.repeat(2_000_000) },
        operation: '\u0007'.repeat(9_000),
        actor: { session: 's', client_name: '\u20ac'.repeat(1_000_000) },
      }),
    );
    const [, record] = folder.records();
    expect(record).toMatchObject({
      upstream: 'demo',
      parameters: { cut: expect.stringMatching(/^\{"text":"xxx/), characters: 2_000_011, sha256: expect.any(String) },
      actor: { characters: expect.any(Number) },
    });
    expect(
      Math.max(
        ...folder
          .read(folder.files()[0] ?? '')
          .split('\n')
          .map((line) => Buffer.byteLength(line)),
      ),
    ).toBeLessThan(9_000);
  });

  it('identifies the true arguments by a digest whose key is kept in a file of its own', async () => {
    const folder = makeAuditFolder();
    const keyFile = join(folder.directory, '..', 'audit.key');
    const [one, other] = [await folder.open({}, { keyFile }), await folder.open({}, { keyFile })];
    expect(one.digest({ a: 1, b: 2 })).toEqual({ hmac: expect.stringMatching(/^[\w-]{43}$/), characters: 13 });
    expect(other.digest({ b: 2, a: 1 })).toEqual(one.digest({ a: 1, b: 2 }));
    expect(other.digest({ a: 1, b: 3 })?.hmac).not.toBe(one.digest({ a: 1, b: 2 })?.hmac);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    await Promise.all([one.close(), other.close()]);
  });

  it('observes and counts an event that cannot be JSON, and does not throw', async () => {
    const folder = makeAuditFolder();
    const trail = await folder.open();
    const noJson = anEvent(9, { parameters: { n: 1n } });
    const lost = { type: 'lost', count: 1 };
    for (const event of [noJson, anEvent(0), noJson, anEvent(1), noJson]) trail.record(event);
    await trail.close();
    expect(folder.records().slice(1, -1)).toMatchObject([lost, anEvent(0), lost, anEvent(1), lost]);
    const defects = folder.observations.filter(({ kind }) => kind === 'defect');
    expect(defects).toMatchObject(Array(3).fill({ where: 'audit' }));
  });

  it('observes a record after the trail was closed', async () => {
    const folder = makeAuditFolder();
    const trail = await folder.open();
    trail.record(anEvent(0));
    await Promise.all([trail.close(), trail.close()]);
    trail.record(anEvent(1));
    expect(folder.records()).toHaveLength(3);
    expect(folder.observations).toMatchObject([{ kind: 'defect', where: 'audit' }]);
  });
});

describe('a disk that fails', () => {
  const notices = (folder: ReturnType<typeof makeAuditFolder>): readonly string[] =>
    folder.observations.flatMap((each) => (each.kind === 'notice' ? [`${each.level}: ${each.message}`] : []));

  it.each([{ sync: false }, { sync: true }])(
    'is reported once when it fails and once when it works again (%j)',
    async (config) => {
      const folder = makeAuditFolder();
      writeFileSync(folder.directory, 'in the way');
      const trail = await folder.open(config);
      for (let index = 0; index < 3; index += 1) trail.record(anEvent(index));
      await expect.poll(() => notices(folder)).toHaveLength(1);
      rmSync(folder.directory);
      await trail.flush();
      expect(folder.records().map(({ type }) => type)).toEqual(['opened', 'call', 'call', 'call']);
      expect(notices(folder)).toEqual([
        expect.stringMatching(/^error: .* cannot be written \(E\w+\)/),
        expect.stringMatching(/^warn: .* can be written again/),
      ]);
      await trail.close();
      expect(await verifyJournals(folder.directory)).toMatchObject({ faults: [], notes: [] });
    },
  );

  it('gets every line whole and once after partial writes', async () => {
    const folder = makeAuditFolder();
    let turn = 0;
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
    const write = ((fd: number, bytes: Buffer, done: (cause: Error | null, written: number) => void) => {
      turn += 1;
      if (turn === 2 || turn === 5) setImmediate(() => done(full, 0));
      else fs.write(fd, bytes.subarray(0, Math.ceil(bytes.length / 3)), done as never);
    }) as unknown as typeof fs.write;
    const trail = await folder.open({}, { disk: { ...fs, write } });
    for (let index = 0; index < 20; index += 1) trail.record(anEvent(index));
    await trail.flush();
    expect(await verifyJournals(folder.directory)).toMatchObject({ records: 21, faults: [] });
    expect(notices(folder)).toHaveLength(2);
    await trail.close();
  });

  it('loses records only beyond the limits of the queue, and their number is recorded', async () => {
    const folder = makeAuditFolder();
    writeFileSync(folder.directory, 'in the way');
    const trail = await folder.open({}, { queueLimits: { records: 3, characters: 1_000_000 } });
    for (let index = 0; index < 10; index += 1) trail.record(anEvent(index));
    rmSync(folder.directory);
    await trail.flush();
    trail.record(anEvent(10));
    await trail.close();
    expect(folder.records().map(({ type, ...rest }) => rest['operation'] ?? rest['count'] ?? type)).toEqual([
      'opened',
      'demo__delete_0',
      'demo__delete_1',
      'demo__delete_2',
      7,
      'demo__delete_10',
      'closed',
    ]);
    expect((await verifyJournals(folder.directory)).notes).toMatchObject([{ note: expect.stringContaining('7 lost') }]);
  });

  it('makes a record that must be kept wait for space, and keeps it, while a source that floods loses its own records', async () => {
    const folder = makeAuditFolder();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const write = ((...args: Parameters<typeof fs.write>) =>
      void held.then(() => fs.write(...args))) as typeof fs.write;
    const queueLimits = { records: 100, characters: 1_000_000, perSource: { records: 4, characters: 1_000_000 } };
    const trail = await folder.open({}, { disk: { ...fs, write }, queueLimits });
    const bob = anEvent(100, { actor: { client: 'bob' } });
    const first = trail.accept(bob);
    // The first record is being written; what follows waits in the queue.
    const written = trail.flush();
    for (let index = 0; index < 10; index += 1) trail.record(anEvent(index));
    expect(first).toBe(true);
    for (let index = 0; index < 3; index += 1) expect(trail.accept(bob)).toBe(true);
    const waiting = trail.accept(anEvent(50));
    expect(waiting).toBeInstanceOf(Promise);
    release();
    expect(await waiting).toBe(true);
    await written;
    await trail.close();
    const records = folder.records();
    expect(records.filter(({ operation }) => operation === 'demo__delete_100')).toHaveLength(4);
    expect(records.filter(({ operation }) => operation === 'demo__delete_50')).toHaveLength(1);
    expect(records.filter(({ type }) => type === 'lost')).toMatchObject([{ count: 6, sources: { 'client/alice': 6 } }]);
    expect(notices(folder)).toEqual([expect.stringMatching(/^warn: .*1 are lost so far/)]);
    expect(trail.state()).toEqual({ failing: false, lost: 6 });
  });

  it.each([
    [{ sync: true, required: true }, false],
    [{ sync: false, required: true }, false],
    [{ sync: false, required: false }, true],
  ])('refuses what must be recorded while it fails where records are required (%j)', async (config, accepted) => {
    const folder = makeAuditFolder();
    writeFileSync(folder.directory, 'in the way');
    const trail = await folder.open(config);
    trail.record(anEvent(0));
    await expect.poll(() => notices(folder)).toHaveLength(1);
    expect(trail.accept(anEvent(1))).toBe(accepted);
    expect(trail.state().failing).toBe(true);
    rmSync(folder.directory);
    await trail.flush();
    expect(trail.accept(anEvent(2))).toBe(true);
    await trail.close();
    expect(folder.records().filter(({ type }) => type === 'call')).toHaveLength(3);
  });

  it('does not stop a gateway from closing', async () => {
    const folder = makeAuditFolder();
    writeFileSync(folder.directory, 'in the way');
    const trail = await folder.open();
    trail.record(anEvent(0));
    await trail.close();
    expect(notices(folder).at(-1)).toMatch(/^error: .*could not be finished.* 1 records were not written/);
    expect(readFileSync(folder.directory, 'utf8')).toBe('in the way');
  });
});

describe('retention', () => {
  const age = (folder: ReturnType<typeof makeAuditFolder>, days: number) => {
    folder.clock.now += days * DAY;
  };

  it('removes journals whose newest record is too old, after recording it', async () => {
    const folder = makeAuditFolder();
    const [oldest, old] = [await folder.journal(2), await folder.journal(1)];
    age(folder, 20);
    const kept = await folder.journal(1);
    age(folder, 15);
    const trail = await folder.open({ retentionDays: 30 });
    await trail.close();
    expect(folder.files()).toHaveLength(2);
    expect(folder.files()[0]).toBe(kept);
    expect(folder.records().find(({ type }) => type === 'retention')).toMatchObject({
      removed: [
        { file: oldest, seq: 4, hash: expect.any(String) },
        { file: old, seq: 3, hash: expect.any(String) },
      ],
    });
    expect(await verifyJournals(folder.directory)).toMatchObject({ faults: [], notes: [] });
  });

  it.each([
    ['nothing is old enough', 30, 29],
    ['all is kept', 0, 1_000],
  ])('removes nothing and makes no journal where %s', async (_why, retentionDays, days) => {
    const folder = makeAuditFolder();
    await folder.journal(1);
    age(folder, days);
    await (await folder.open({ retentionDays })).close();
    expect(folder.files()).toHaveLength(1);
  });

  it('removes nothing before the record of it is on disk', async () => {
    const folder = makeAuditFolder();
    const old = await folder.journal(1);
    const { directory } = folder;
    const [asked, written] = [new EventEmitter(), new EventEmitter()];
    const flush = async (): Promise<void> => {
      const done = once(written, 'done');
      asked.emit('flush');
      await done;
    };
    const flushing = once(asked, 'flush');
    const index = createJournalIndex(directory);
    const writer = { liveFile: undefined, put: () => undefined, flush };
    const expiring = expireJournals({ directory, index, writer, before: '2027', now: () => '2027' });
    await Promise.race([flushing, expiring]);
    expect(folder.files()).toEqual([old]);
    written.emit('done');
    await expiring;
    expect(folder.files()).toEqual([]);
  });

  it('removes nothing where it cannot record it', async () => {
    const folder = makeAuditFolder();
    const old = await folder.journal(1);
    age(folder, 40);
    const openSync = () => {
      throw Object.assign(new Error('read-only'), { code: 'EROFS' });
    };
    const trail = await folder.open({ retentionDays: 30 }, { disk: { ...fs, openSync } });
    await trail.close();
    expect(folder.files()).toEqual([old]);
  });

  it('removes the oldest journals that have ended beyond the bytes that they may take', async () => {
    const folder = makeAuditFolder();
    const files = [await folder.journal(50), await folder.journal(50), await folder.journal(50)];
    const maxBytes = files.reduce((sum, file) => sum + folder.read(file).length, 0) - 1;
    const trail = await folder.open({ maxBytes });
    await trail.close();
    expect(folder.files()).not.toContain(files[0]);
    expect(folder.files()).toEqual(expect.arrayContaining(files.slice(1)));
    expect(await verifyJournals(folder.directory)).toMatchObject({ faults: [], lost: 0 });
  });

  it('keeps within its bytes while it is written', async () => {
    const folder = makeAuditFolder();
    const trail = await folder.open({ maxBytes: 200_000 });
    for (let index = 0; index < 2_000; index += 1) {
      folder.clock.now += 1;
      trail.record(anEvent(index));
      if (index % 100 === 0) await trail.flush();
    }
    await trail.close();
    const size = folder.files().reduce((sum, file) => sum + folder.read(file).length, 0);
    expect(size).toBeLessThan(400_000);
    expect(folder.records().at(-2)).toMatchObject(anEvent(1_999));
    expect(await verifyJournals(folder.directory)).toMatchObject({ faults: [] });
  });

  it('counts the refusals of a client beyond its share of an hour, and records every call that ran', async () => {
    const folder = makeAuditFolder();
    const trail = await folder.open();
    const refused = anEvent(0, { code: 'PERMISSION_DENIED', reason: 'x'.repeat(7_000) } as never);
    for (let index = 0; index < 700; index += 1) trail.record(refused);
    trail.record(anEvent(7));
    trail.record(anEvent(0, { code: 'PERMISSION_DENIED', actor: { client: 'bob' } }));
    await trail.close();
    const records = folder.records();
    const skipped = records.find(({ type }) => type === 'skipped');
    expect(skipped).toMatchObject({ source: 'client/alice' });
    const kept = records.filter(({ code }) => code === 'PERMISSION_DENIED').length;
    expect(kept + Number(skipped?.['count'])).toBe(701);
    expect(kept * 7_000).toBeLessThan(4.3 * 1024 * 1024);
    expect(records.some(({ operation }) => operation === 'demo__delete_7')).toBe(true);
  });

  it('leaves other files in the directory alone', async () => {
    const folder = makeAuditFolder();
    await folder.journal(1);
    folder.write('notes.txt', 'mine');
    age(folder, 100);
    await (await folder.open({ retentionDays: 30 })).close();
    expect(folder.files()).toContain('notes.txt');
  });
});

it('the audit trail records every type of event', async () => {
  const folder = makeAuditFolder();
  const actor = { operator: 'root' };
  const events: readonly AuditEvent[] = [
    { type: 'token', event: 'TOKEN_ISSUED', token_id: 't', outcome: 'success', actor },
    { type: 'approval', event: 'approved', approval: 'a', operation: 'o', actor },
    { type: 'admin', action: 'reload', actor },
    { type: 'integrity', upstream: 'u', severity: 'warning', message: 'm' },
  ];
  await folder.journal(events.length, (index) => events[index] as AuditEvent);
  expect(folder.records().slice(1, -1)).toMatchObject(events);
});
