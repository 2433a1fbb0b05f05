import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../../../src/policy/audit/audit-trail.js';
import {
  type FoundRecord,
  followJournals,
  type RecordFilter,
  searchJournals,
  tailJournals,
} from '../../../../src/policy/audit/search.js';
import { type AuditFolder, anEvent, DAY, makeAuditFolder, NOON } from './audit-folder.js';

const SUBJECT = { upstream: 'github', category: 'DELETE', danger: 'destructive' } as const;

const EVENTS: readonly AuditEvent[] = [
  anEvent(0),
  anEvent(1, { upstream: 'files', code: 'INTERNAL_ERROR', parameters: { path: '/Etc/Hosts' } }),
  {
    type: 'decision',
    outcome: 'denied',
    operation: 'github__delete_repo',
    ...SUBJECT,
    parameters: {},
    actor: { session: 's2', client_name: 'kiosk' },
  },
  {
    type: 'decision',
    outcome: 'confirmed',
    by: 'carol',
    operation: 'github__delete_file',
    ...SUBJECT,
    parameters: {},
    actor: { session: 's2' },
  },
  { type: 'admin', action: 'reload', actor: { operator: 'root' } },
];

/** The events in one journal, one per millisecond from noon on. */
async function recordEvents(): Promise<AuditFolder> {
  const folder = makeAuditFolder();
  await folder.journal(EVENTS.length, (index) => EVENTS[index] as AuditEvent);
  return folder;
}

async function collect(found: AsyncIterable<FoundRecord>): Promise<readonly FoundRecord[]> {
  const all: FoundRecord[] = [];
  for await (const each of found) all.push(each);
  return all;
}

const at = (ms: number): string => new Date(NOON + ms).toISOString();

describe('a search in journals', () => {
  it.each<[RecordFilter, readonly number[]]>([
    [{ types: ['call'] }, [0, 1]],
    [{ types: ['call', 'admin'] }, [0, 1, 4]],
    [{ operation: 'github__delete_*' }, [2, 3]],
    [{ operation: 'demo__delete_1' }, [1]],
    [{ upstream: '{files,github}' }, [1, 2, 3]],
    [{ by: 's2' }, [2, 3]],
    [{ by: 'alice' }, [0, 1]],
    [{ by: 'kiosk' }, [2]],
    [{ by: 'root' }, [4]],
    [{ by: 'carol' }, [3]],
    [{ by: 'test' }, []],
    [{ outcome: 'denied' }, [2]],
    [{ code: 'INTERNAL_ERROR' }, [1]],
    [{ since: at(4), types: ['call', 'decision', 'admin'] }, [3, 4]],
    [{ until: at(2), types: ['call', 'decision', 'admin'] }, [0]],
    [{ since: at(2), until: at(4) }, [1, 2]],
    [{ text: '/etc/hosts' }, [1]],
    [{ types: ['decision'], outcome: 'denied', by: 'alice' }, []],
  ])('for %j finds the records that match every member', async (filter, expected) => {
    const folder = await recordEvents();
    const found = await collect(searchJournals(folder.directory, filter));
    expect(found.map(({ record }) => record)).toMatchObject(expected.map((index) => EVENTS[index]));
    expect(found).toHaveLength(expected.length);
  });

  it('returns the line as it is in the file, and the journal', async () => {
    const folder = await recordEvents();
    const [found] = await collect(searchJournals(folder.directory, { types: ['admin'] }));
    const [file = ''] = folder.files();
    expect(found?.file).toBe(file);
    expect(folder.read(file).split('\n')).toContain(found?.text);
  });

  it('returns time order over journals that were written at the same time', async () => {
    const folder = makeAuditFolder();
    const trails = [await folder.open(), await folder.open()];
    for (let index = 0; index < 40; index += 1) {
      folder.clock.now += 1;
      trails[index % 3 === 0 ? 0 : 1]?.record(anEvent(index));
    }
    await Promise.all(trails.map((trail) => trail.close()));
    folder.clock.now += DAY;
    await folder.journal(2, (index) => anEvent(40 + index));
    const found = await collect(searchJournals(folder.directory, { types: ['call'] }));
    expect(found.map(({ record }) => record['parameters'])).toEqual(Array.from({ length: 42 }, (_, id) => ({ id })));
    expect(new Set(found.map(({ file }) => file)).size).toBe(3);
  });

  it('skips malformed and incomplete lines', async () => {
    const folder = await recordEvents();
    const [file = ''] = folder.files();
    appendFileSync(join(folder.directory, file), 'malformed\n{"seq":99,"time":"20');
    expect(await collect(searchJournals(folder.directory))).toHaveLength(EVENTS.length + 2);
  });

  it('closes the files when the consumer stops early', async () => {
    const folder = await recordEvents();
    for await (const { record } of searchJournals(folder.directory)) {
      expect(record.type).toBe('opened');
      break;
    }
  });

  it('fails where the directory does not exist', async () => {
    const { directory } = makeAuditFolder();
    await expect(collect(searchJournals(directory))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('the tail of the journals', () => {
  it.each([1, 3, 17, 1_000])('is the newest %i records of all journals, in time order', async (count) => {
    const folder = makeAuditFolder();
    await folder.journal(400);
    const trails = [await folder.open(), await folder.open()];
    for (let index = 0; index < 20; index += 1) {
      folder.clock.now += 1;
      trails[index % 2]?.record(anEvent(index));
    }
    await Promise.all(trails.map((trail) => trail.flush()));
    const all = await collect(searchJournals(folder.directory));
    const { records } = tailJournals(folder.directory, count);
    const keys = (found: readonly FoundRecord[]) => found.map(({ time, record }) => `${time} ${record.type}`);
    expect(keys(records)).toEqual(keys(all.slice(-count)));
    await Promise.all(trails.map((trail) => trail.close()));
  });

  it('reads lines longer than a block', async () => {
    const folder = makeAuditFolder();
    await folder.journal(4, (index) => anEvent(index, { parameters: { text: 'é'.repeat(200_000) } }));
    expect(tailJournals(folder.directory, 3).records.map(({ record }) => record.seq)).toEqual([4, 5, 6]);
  });

  it('is followed by what is recorded later, in new journals too, each record once', async () => {
    const folder = makeAuditFolder();
    const trail = await folder.open();
    trail.record(anEvent(0));
    await trail.flush();
    const { positions } = tailJournals(folder.directory, 20);
    const stop = new AbortController();
    const following = followJournals(folder.directory, positions, { signal: stop.signal, pollMs: 1 });
    const next = async () => (await following.next()).value?.record;

    trail.record(anEvent(1));
    await trail.flush();
    expect(await next()).toMatchObject(anEvent(1));
    await folder.journal(1, () => anEvent(2));
    expect([await next(), await next(), await next()]).toMatchObject([
      { type: 'opened' },
      anEvent(2),
      { type: 'closed' },
    ]);

    const [file = ''] = folder.files();
    const torn = '{"seq":4,"time":"2026-11-22T12:00:00.001Z","type":"x",';
    appendFileSync(join(folder.directory, file), torn);
    // Journals are read in order: once this journal's record is returned, the incomplete line has been read.
    await folder.journal(1, () => anEvent(4));
    await next();
    appendFileSync(join(folder.directory, file), '"prev":"","hash":""}\n');
    expect(await next()).toMatchObject(anEvent(4));
    expect(await next()).toMatchObject({ type: 'closed' });
    expect(await next()).toMatchObject({ type: 'x' });
    stop.abort();
    expect(await following.next()).toMatchObject({ done: true });
    await trail.close();
  });
});
