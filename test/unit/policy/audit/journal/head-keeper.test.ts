import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HeadKeeper, type JournalHeads } from '../../../../../src/policy/audit/journal/head-keeper.js';
import type { JournalMark } from '../../../../../src/policy/audit/journal/line.js';
import { anEvent, DAY, makeAuditFolder } from '../audit-folder.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function recordingHeads(): JournalHeads & {
  readonly kept: JournalMark[];
  readonly forgotten: string[];
  away: boolean;
} {
  const heads = {
    kept: [] as JournalMark[],
    forgotten: [] as string[],
    away: false,
    keep: async (mark: JournalMark) => {
      if (heads.away) throw new Error('away');
      heads.kept.push(mark);
    },
    forget: async (files: readonly string[]) => void heads.forgotten.push(...files),
  };
  return heads;
}

const mark = (seq: number): JournalMark => ({ file: 'a', seq, hash: String(seq) });

it('keeps the newest of many marks once, after what was written is on the disk', async () => {
  const heads = recordingHeads();
  const synced: number[] = [];
  const keeper = new HeadKeeper(heads, async () => void synced.push(heads.kept.length));
  for (let seq = 1; seq <= 1_000; seq += 1) keeper.note(mark(seq));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(heads.kept).toEqual([mark(1_000)]);
  expect(synced).toEqual([0]);
});

it('tries again while the store is away, and keeps what is left when it closes', async () => {
  const heads = recordingHeads();
  heads.away = true;
  const keeper = new HeadKeeper(heads, async () => undefined);
  keeper.note(mark(1));
  await vi.advanceTimersByTimeAsync(3_000);
  heads.away = false;
  await vi.advanceTimersByTimeAsync(1_000);
  keeper.note(mark(2));
  await keeper.close();
  expect(heads.kept).toEqual([mark(1), mark(2)]);
});

it('forgets journals that are removed for their age', async () => {
  vi.useRealTimers();
  const heads = recordingHeads();
  const folder = makeAuditFolder();
  const first = await folder.open({}, { heads });
  first.record(anEvent());
  await first.close();
  const [file] = folder.files();
  folder.clock.now += 5 * DAY;
  const second = await folder.open({ retentionDays: 2 }, { heads });
  second.record(anEvent());
  await second.flush();
  await second.close();
  expect(heads.forgotten).toEqual([file]);
});
