import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AuditEvent } from '../../../../src/policy/audit/audit-event.js';
import { type JournalPlace, readRecordAt, searchBack } from '../../../../src/policy/audit/search-back.js';
import { makeAuditFolder } from './audit-folder.js';

const admin = (index: number, pad = ''): AuditEvent => ({
  type: 'admin',
  action: `action ${index}`,
  details: { pad },
  actor: { operator: index % 2 === 0 ? 'olga' : 'omar' },
});

const ALL = { count: 1_000, maxBytes: 1e9 };

describe('searching journals from their end', () => {
  it('searches for one after the other, so that no turn of the event loop reads for all of them', async () => {
    const folder = makeAuditFolder();
    const file = await folder.journal(30, (index) => admin(index, 'x'.repeat(index * 5_000)));
    const probe = await open(join(folder.directory, file));
    const files = Object.getPrototypeOf(probe) as typeof probe;
    await probe.close();
    let [reading, most] = [0, 0];
    const read = files.read;
    const counted = vi.spyOn(files, 'read').mockImplementation(async function (this: typeof probe, ...args: never[]) {
      most = Math.max(most, ++reading);
      try {
        return await Reflect.apply(read, this, args);
      } finally {
        reading -= 1;
      }
    } as never);
    onTestFinished(() => counted.mockRestore());
    const missing = searchBack(join(folder.directory, 'nowhere'), {}, ALL).catch(() => 'missing');
    const pages = await Promise.all(Array.from({ length: 20 }, () => searchBack(folder.directory, {}, ALL)));
    expect(new Set(pages.map(({ records }) => records.length))).toEqual(new Set([pages[0]?.records.length]));
    expect([await missing, most]).toEqual(['missing', 1]);
  });

  it('lets others have turns within what it reads, so that a call beside it waits for little of it', async () => {
    const folder = makeAuditFolder();
    await folder.journal(400, (index) => admin(index, 'x'.repeat(2_000)));
    let [turns, isDone] = [0, false];
    const countTurns = (): void => {
      turns += 1;
      if (!isDone) setImmediate(countTurns);
    };
    countTurns();
    const { records, bytes } = await searchBack(folder.directory, { types: ['admin'] }, ALL);
    isDone = true;
    expect(records).toHaveLength(400);
    expect(turns).toBeGreaterThan(bytes / 32_768);
  });

  it('finds the newest first, page by page, over several journals and lines of any length', async () => {
    const folder = makeAuditFolder();
    await folder.journal(30, (index) => admin(index, 'x'.repeat(index * 5_000)));
    await folder.journal(40, (index) => admin(100 + index));
    const every = await searchBack(folder.directory, { types: ['admin'] }, ALL);
    const actions = every.records.map(({ record }) => record['action']);
    expect(actions).toEqual([
      ...Array.from({ length: 40 }, (_, index) => `action ${139 - index}`),
      ...Array.from({ length: 30 }, (_, index) => `action ${29 - index}`),
    ]);
    expect(every.next).toBeUndefined();
    const paged: unknown[] = [];
    let from: JournalPlace | undefined;
    do {
      const page = await searchBack(
        folder.directory,
        { by: 'omar' },
        { count: 7, maxBytes: 1e9, ...(from && { from }) },
      );
      expect(page.records.length).toBeLessThanOrEqual(7);
      paged.push(...page.records.map(({ record }) => record['action']));
      from = page.next;
    } while (from !== undefined);
    expect(paged).toEqual(
      every.records
        .filter(({ record }) => Number(String(record['action']).slice(7)) % 2 === 1)
        .map(({ record }) => record['action']),
    );
  });

  it('reads no more than it is allowed to, and goes on there', async () => {
    const folder = makeAuditFolder();
    await folder.journal(50, (index) => admin(index, 'x'.repeat(10_000)));
    const first = await searchBack(folder.directory, { text: 'action 3"' }, { count: 10, maxBytes: 100_000 });
    expect(first.records).toEqual([]);
    expect(first.bytes).toBeLessThan(120_000);
    expect(first.next).toBeDefined();
    const rest = await searchBack(
      folder.directory,
      { text: 'action 3"' },
      { ...ALL, ...(first.next && { from: first.next }) },
    );
    expect(rest.records).toHaveLength(1);
  });

  it('stops at the time from which on is searched, and passes over a line that is being written', async () => {
    const folder = makeAuditFolder();
    const file = await folder.journal(20, admin);
    const since = String(folder.records().at(-4)?.time);
    folder.write(file, `${folder.read(file)}{"seq":99,"type":"admin"`);
    const { records } = await searchBack(folder.directory, { since, types: ['admin'] }, ALL);
    expect(records.map(({ record }) => record['action'])).toEqual(['action 19', 'action 18', 'action 17']);
  });

  it('reads one record again where it was found, and says whether it is sound; no other file', async () => {
    const folder = makeAuditFolder();
    const file = await folder.journal(3, admin);
    const { records } = await searchBack(folder.directory, { types: ['admin'] }, ALL);
    const [newest] = records;
    expect(await readRecordAt(folder.directory, file, newest?.start ?? -1)).toMatchObject({
      isSound: true,
      record: { action: 'action 2' },
    });
    folder.write(file, folder.read(file).replace('action 2', 'action 9'));
    expect(await readRecordAt(folder.directory, file, newest?.start ?? -1)).toMatchObject({ isSound: false });
    expect(await readRecordAt(folder.directory, join('..', 'audit', file), 0)).toBeUndefined();
    expect(await readRecordAt(folder.directory, file, 1e9)).toBeUndefined();
  });
});
