import { appendFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sealLine } from '../../../../src/policy/audit/journal/line.js';
import { verifyJournals } from '../../../../src/policy/audit/verify.js';
import { type AuditFolder, anEvent, makeAuditFolder, parseLines } from './audit-folder.js';

const RECORDS = 5;
/** With the first and the last line. */
const LINES = RECORDS + 2;

/** Three journals, each made after the one before it was closed. */
async function makeJournals(): Promise<AuditFolder & { readonly names: readonly [string, string, string] }> {
  const folder = makeAuditFolder();
  const names = [await folder.journal(RECORDS), await folder.journal(RECORDS), await folder.journal(RECORDS)] as const;
  return { ...folder, names: [...names] };
}

type Change = (lines: readonly string[]) => readonly string[];

function editLines(folder: AuditFolder, file: string, change: Change): void {
  folder.write(file, change(folder.read(file).split('\n')).join('\n'));
}

const reseal = (line: string, change: (text: string) => string): string => {
  const { seq, prev, hash: _old, ...members } = JSON.parse(change(line)) as { seq: number; prev: string; hash: string };
  return sealLine(JSON.stringify(members).slice(1, -1), seq, prev).text.trimEnd();
};

const forged = (seq: number, prev: string): string =>
  sealLine(JSON.stringify({ time: '2026-11-22T12:00:00.003Z', ...anEvent(9) }).slice(1, -1), seq, prev).text.trimEnd();

const hashOf = (line: string | undefined): string => parseLines(line ?? '')[0]?.hash ?? '';

/** Edits of a journal's lines, and the problem that each causes. Line 3 is the fourth. */
const EDITS: readonly (readonly [string, Change, string])[] = [
  ['a byte altered', (lines) => lines.with(3, lines[3]!.replace('alice', 'alicf')), 'altered'],
  ['a number altered', (lines) => lines.with(3, lines[3]!.replace('"seq":4', '"seq":5')), 'altered'],
  ['a blank added', (lines) => lines.with(3, lines[3]!.replace(',', ', ')), 'altered'],
  ['a hash altered', (lines) => lines.with(3, lines[3]!.replace(/.("})$/, '!$1')), 'altered'],
  ['something after the hash', (lines) => lines.with(3, `${lines[3]} `), 'altered'],
  ['a line in the middle removed', (lines) => lines.toSpliced(3, 1), 'removed'],
  ['two lines swapped', (lines) => lines.with(3, lines[4]!).with(4, lines[3]!), 'moved'],
  ['a forged line inserted', (lines) => lines.toSpliced(4, 0, forged(5, hashOf(lines[3]))), 'removed, added or moved'],
  ['a forged line instead of one', (lines) => lines.with(4, forged(5, hashOf(lines[3]))), 'does not continue'],
  ['a line repeated', (lines) => lines.toSpliced(4, 0, lines[3]!), 'removed, added or moved'],
  [
    'a line edited and hashed again',
    (lines) =>
      lines.with(
        3,
        reseal(lines[3]!, (text) => text.replace('alice', 'mallory')),
      ),
    'does not continue',
  ],
  [
    'the last line edited and hashed again',
    (lines) =>
      lines.with(
        LINES - 1,
        reseal(lines[LINES - 1]!, (text) => text.replace('closed', 'cl0sed')),
      ),
    'rewritten',
  ],
  ['the last line removed', (lines) => lines.toSpliced(LINES - 1, 1), 'missing'],
  ['the last lines removed', (lines) => lines.toSpliced(3, LINES - 3), 'missing'],
  ['the first line removed', (lines) => lines.slice(1), 'record 2 stands where record 1 belongs'],
  ['an empty line added', (lines) => lines.toSpliced(3, 0, ''), 'not a record'],
  ['a malformed line instead of one', (lines) => lines.with(3, '\u0000garbage'), 'not a record'],
  [
    'something after the end',
    (lines) => [...lines.slice(0, LINES), forged(LINES + 1, hashOf(lines[LINES - 1])), ''],
    "after the record 'closed'",
  ],
  ['half a line after the end', (lines) => [...lines.slice(0, LINES), '{"seq":8,'], 'not a record'],
  ['all of it removed', () => [], 'missing'],
  [
    'the whole journal rewritten',
    (lines) => {
      let prev = '';
      return lines.map((line) => {
        if (line === '') return line;
        const { seq, prev: _prev, hash: _hash, ...members } = JSON.parse(line.replace('alice', 'mallory'));
        const sealed = sealLine(JSON.stringify(members).slice(1, -1), seq, prev);
        prev = sealed.hash;
        return sealed.text.trimEnd();
      });
    },
    'rewritten',
  ],
];

describe('the verification of journals', () => {
  it('finds no fault in unaltered journals', async () => {
    const folder = await makeJournals();
    expect(await verifyJournals(folder.directory)).toEqual({
      files: 3,
      records: 3 * LINES,
      lost: 0,
      faults: [],
      notes: [],
    });
  });

  describe.each([
    ['the oldest', 0],
    ['the middle', 1],
  ])('of %s journal', (_which, index) => {
    it.each(EDITS)('finds %s', async (_what, change, problem) => {
      const folder = await makeJournals();
      const file = folder.names[index] ?? '';
      editLines(folder, file, change);
      const { faults } = await verifyJournals(folder.directory);
      expect(faults.map((fault) => fault.problem).join('\n')).toContain(problem);
      expect(new Set(faults.map((fault) => fault.file))).toEqual(new Set([file]));
    });

    it('finds that it was removed', async () => {
      const folder = await makeJournals();
      const file = folder.names[index] ?? '';
      rmSync(join(folder.directory, file));
      const { faults } = await verifyJournals(folder.directory);
      expect(faults).toEqual([{ file, line: null, problem: expect.stringContaining('missing') }]);
    });

    it('finds that it was cut in the middle of a line', async () => {
      const folder = await makeJournals();
      const file = folder.names[index] ?? '';
      truncateSync(join(folder.directory, file), folder.read(file).length - 20);
      const { faults, notes } = await verifyJournals(folder.directory);
      expect(faults).toMatchObject([{ file, problem: expect.stringContaining('missing') }]);
      expect(notes[0]?.note).toContain('incomplete last line');
    });
  });

  it('reports the line of a fault, counted from 1', async () => {
    const folder = await makeJournals();
    editLines(folder, folder.names[1], (lines) => lines.with(3, lines[3]!.replace('alice', 'alicf')));
    const { faults } = await verifyJournals(folder.directory);
    expect(faults).toEqual([{ file: folder.names[1], line: 4, problem: expect.stringContaining('altered') }]);
  });

  it('finds that several journals were removed', async () => {
    const folder = await makeJournals();
    for (const file of folder.names.slice(0, 2)) rmSync(join(folder.directory, file));
    expect((await verifyJournals(folder.directory)).faults).toMatchObject([{ file: folder.names[1] }]);
  });

  it('finds any altered byte', async () => {
    const folder = await makeJournals();
    const [, file] = folder.names;
    const bytes = Buffer.from(folder.read(file));
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, difference) => {
        const altered = Buffer.from(bytes);
        altered[at] = (altered[at] ?? 0) ^ difference;
        folder.write(file, altered);
        expect((await verifyJournals(folder.directory)).faults).not.toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('reports a crash as notes: an incomplete last line, and no end', async () => {
    const folder = makeAuditFolder();
    const trail = await folder.open();
    trail.record(anEvent(0));
    await trail.flush();
    const [file = ''] = folder.files();
    appendFileSync(join(folder.directory, file), '{"seq":3,"time":"2026');
    const verdict = await verifyJournals(folder.directory);
    expect(verdict).toMatchObject({ records: 2, faults: [] });
    expect(verdict.notes.map(({ note }) => note)).toEqual([
      expect.stringContaining('incomplete last line'),
      expect.stringContaining("no record 'closed'"),
    ]);
    await folder.journal(1);
    expect((await verifyJournals(folder.directory)).faults).toEqual([]);
  });

  it('finds that a crashed journal was cut further after another journal was begun', async () => {
    const folder = makeAuditFolder();
    const trail = await folder.open();
    for (let index = 0; index < 3; index += 1) trail.record(anEvent(index));
    await trail.flush();
    const [file = ''] = folder.files();
    await folder.journal(1);
    expect((await verifyJournals(folder.directory)).faults).toEqual([]);
    editLines(folder, file, (lines) => [...lines.slice(0, -2), '']);
    expect((await verifyJournals(folder.directory)).faults).toMatchObject([{ file }]);
    await trail.close();
  });

  it('does not trust a forged record of retention', async () => {
    const folder = await makeJournals();
    const [first, , third] = folder.names;
    const mark = parseLines(folder.read(first))
      .map(({ seq, hash }) => ({ file: first, seq, hash }))
      .at(-1);
    rmSync(join(folder.directory, first));
    editLines(folder, third, (lines) => {
      const members = JSON.stringify({ time: '2026-11-22T12:00:00.003Z', type: 'retention', removed: [mark] });
      return lines.toSpliced(3, 0, sealLine(members.slice(1, -1), 4, hashOf(lines[2])).text.trimEnd());
    });
    expect((await verifyJournals(folder.directory)).faults).toMatchObject([{ file: third }]);
  });

  it.each([
    ['believes', 'the last record', -1, false],
    ['does not believe', 'a record before the last one', -2, true],
  ])('%s a record of retention that names %s of the removed journal', async (_, __, at, isFault) => {
    const folder = makeAuditFolder();
    const first = await folder.journal(3);
    // The next journal names the last record of the first.
    await folder.journal(3);
    const { seq, hash } = parseLines(folder.read(first)).at(at) ?? {};
    await folder.journal(1, () => ({ type: 'retention', removed: [{ file: first, seq, hash }] }) as never);
    rmSync(join(folder.directory, first));
    const { faults } = await verifyJournals(folder.directory);
    expect(faults).toEqual(isFault ? [expect.objectContaining({ file: first })] : []);
  });

  it('refuses a journal of an unknown format', async () => {
    const folder = makeAuditFolder();
    const file = await folder.journal(1);
    const { text } = sealLine('"time":"2026-11-22T12:00:00.000Z","type":"opened","format":2', 1, '');
    folder.write(file, text);
    const { faults } = await verifyJournals(folder.directory);
    expect(faults).toMatchObject([{ line: 1, problem: expect.stringContaining("format '2'") }]);
  });

  it('lists a hundred faults per journal and counts the others', async () => {
    const folder = makeAuditFolder();
    const file = await folder.journal(200);
    editLines(folder, file, (lines) => lines.map((line) => line.replace('alice', 'mallory')));
    const { faults } = await verifyJournals(folder.directory);
    expect(faults).toHaveLength(101);
    expect(faults.at(-1)?.problem).toContain('100 more');
  });

  it('fails where the directory does not exist', async () => {
    await expect(verifyJournals(makeAuditFolder().directory)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
