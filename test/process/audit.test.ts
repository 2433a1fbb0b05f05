import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { type AuditEvent, openAuditTrail } from '../../src/policy/audit/audit-trail.js';
import { searchJournals } from '../../src/policy/audit/search.js';
import { verifyJournals } from '../../src/policy/audit/verify.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { runCli } from '../support/run-cli.js';
import { runCommand } from '../support/run-command.js';
import { BINARY, REPOSITORY } from '../support/served-gateway.js';

const RECORDER = join(REPOSITORY, 'test/fixtures/programs/record-until-killed.mjs');
/** What a crash may cost; docs/audit.md. */
const PROMISED_MS = 100;

const START = Date.parse('2026-11-22T01:24:53.000Z');

const DENIED: AuditEvent = {
  type: 'decision',
  outcome: 'denied',
  code: 'PERMISSION_DENIED',
  rule: 'no deletes',
  reason: 'never\n\u001b[31mhere',
  operation: 'github__delete_repo',
  upstream: 'github',
  category: 'DELETE',
  danger: 'destructive',
  trust: 'validated',
  parameters: { name: 'a, "b"' },
  actor: { session: 's1', client_name: '=cmd()' },
};

const CALL: AuditEvent = {
  type: 'call',
  operation: 'files__delete_file',
  upstream: 'files',
  category: 'DELETE',
  danger: 'destructive',
  code: 'OK',
  duration_ms: 12,
  parameters: { path: '/tmp/x' },
  actor: { session: 's2', client: 'alice' },
};

const config = (directory: string) => ({
  enabled: true,
  directory,
  calls: 'all' as const,
  sync: false,
  required: false,
  maxBytes: 0,
  retentionDays: 0,
  redactKeys: [],
  redactPatterns: [],
});

/** A configuration whose journals hold the events, a second after each other. */
async function openWorkplace(events: readonly AuditEvent[] = [DENIED, CALL]) {
  const directory = await makeDirectory();
  const journals = join(directory.path, 'audit');
  const file = join(directory.path, 'gateway.config.json');
  await writeFile(file, JSON.stringify({ mcpServers: {}, audit: { directory: 'audit' }, store: { type: 'memory' } }));
  let now = START;
  const trail = await openAuditTrail(config(journals), { observe: () => undefined, process: 'test', now: () => now });
  for (const event of events) {
    trail.record(event);
    now += 1_000;
  }
  await trail.close();
  return {
    journals,
    run: (...args: readonly string[]) => runCommand(['--config', file, 'audit', ...args], { cwd: directory.path }),
    only: async () => join(journals, (await readdir(journals))[0] ?? ''),
    [Symbol.asyncDispose]: directory[Symbol.asyncDispose],
  };
}

describe('audit verify', () => {
  it('accepts unaltered journals and names altered records', async () => {
    await using place = await openWorkplace();
    const sound = await place.run('verify');
    expect(sound).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 journal, 4 records in .*: nothing was/) });
    const file = await place.only();
    await writeFile(file, (await readFile(file, 'utf8')).replace('denied', 'allowed'));
    const altered = await place.run('verify');
    expect(altered.code).toBe(7);
    expect(altered.stdout).toMatch(/^fault: \S+\.jsonl:2: the record was altered/);
    expect(altered.stdout).toMatch(/\n1 journal, 3 records in .*: 1 fault\.\n$/);
    const { code, stdout } = await place.run('verify', '--json');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 7, files: 1, faults: [{ line: 2 }], notes: [] });
  });

  it('reads another directory without a configuration', async () => {
    await using place = await openWorkplace();
    const { code, stdout } = await runCli(['audit', 'verify', '--dir', place.journals], { cwd: place.journals });
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('1 journal') });
  });

  it.each(['verify', 'tail', 'search', 'export'])('%s reports a missing directory', async (command) => {
    await using place = await openWorkplace();
    await rm(place.journals, { recursive: true });
    const { code, stdout, stderr } = await place.run(command);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^No audit journals in '.*audit': .*nothing has been recorded yet.*--dir\n$/);
  });
});

describe('audit tail', () => {
  it('prints the newest records, one per line, without control characters', async () => {
    await using place = await openWorkplace();
    const { code, stdout } = await place.run('tail');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^2026-11-22T01:24:53\.000Z {2}opened {2}by test, process \d+$/),
      '2026-11-22T01:24:53.000Z  decision  denied  PERMISSION_DENIED  github__delete_repo of github (DELETE destructive)  by =cmd()  rule no deletes: never \\u001b[31mhere',
      '2026-11-22T01:24:54.000Z  call  OK  files__delete_file of files (DELETE destructive)  by alice  12 ms',
      '2026-11-22T01:24:55.000Z  closed',
      '',
    ]);
    expect((await place.run('tail', '-n', '1')).stdout).toBe('2026-11-22T01:24:55.000Z  closed\n');
    const [call] = (await place.run('tail', '--lines', '2', '--json')).stdout.split('\n');
    expect(JSON.parse(call ?? '')).toMatchObject(CALL);
  });

  it('follows until it is stopped', async () => {
    await using place = await openWorkplace();
    const child = spawn(process.execPath, [BINARY, 'audit', 'tail', '-f', '-n', '1', '--dir', place.journals]);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toMatch(/closed$/);
    const trail = await openAuditTrail(config(place.journals), { observe: () => undefined, process: 'test' });
    trail.record(CALL);
    await trail.flush();
    expect((await lines.next()).value).toMatch(/opened/);
    expect((await lines.next()).value).toMatch(/files__delete_file/);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    await trail.close();
  });
});

describe('audit search', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['--type', 'call'], ['files__delete_file']],
    [['--operation', '*__delete_repo'], ['github__delete_repo']],
    [['--upstream', 'github', '--outcome', 'denied'], ['github__delete_repo']],
    [['--by', 'alice'], ['files__delete_file']],
    [['--code', 'OK'], ['files__delete_file']],
    [['--type', 'call', 'decision', '--since', '2026-11-22T01:24:54Z'], ['files__delete_file']],
    [['--type', 'call', 'decision', '--until', '2026-11-22T02:24:54+01:00'], ['github__delete_repo']],
    [['--text', '/TMP/X'], ['files__delete_file']],
    [['--since', '1s'], []],
    [['--since', '2026-11-23'], []],
  ])('finds records by %j', async (args, expected) => {
    await using place = await openWorkplace();
    const { code, stdout } = await place.run('search', '--json', ...args);
    const found = stdout.split('\n').filter((line) => line !== '');
    expect(found.map((line) => JSON.parse(line).operation)).toEqual(expected);
    expect(code).toBe(0);
  });

  it('explains the formats of a time', async () => {
    await using place = await openWorkplace();
    const { code, stderr } = await place.run('search', '--since', 'yesterday');
    expect(code).toBe(2);
    expect(stderr).toContain("'2026-11-22T01:24:53Z'");
  });
});

describe('audit export', () => {
  it('prints the journal lines unchanged', async () => {
    await using place = await openWorkplace();
    expect((await place.run('export')).stdout).toBe(await readFile(await place.only(), 'utf8'));
    const part = await place.run('export', '--since', '2026-11-22T01:24:54Z', '--until', '2026-11-22T01:24:55Z');
    expect(JSON.parse(part.stdout)).toMatchObject(CALL);
  });

  it('prints CSV in which no text is a formula', async () => {
    await using place = await openWorkplace();
    const { stdout } = await place.run('export', '--format', 'csv');
    expect(stdout.split('\n', 1)[0]).toMatch(/^file,time,type,seq,operation,.*,client_name,.*,details$/);
    expect(stdout).toContain(",'=cmd(),");
    expect(stdout).toContain('"{""parameters"":{""name"":""a, \\""b\\""""}}"');
  });

  it('refuses an unknown format', async () => {
    await using place = await openWorkplace();
    expect(await place.run('export', '--format', 'xml')).toMatchObject({ code: 2 });
  });
});

/** Kills the recorder once it has recorded so many events and has run longer than the promised delay. */
async function recordAndKill(
  directory: string,
  args: readonly string[],
  count: number,
): Promise<readonly (readonly [count: number, time: number])[]> {
  const child: ChildProcess = spawn(process.execPath, [RECORDER, directory, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged: (readonly [number, number])[] = [];
  for await (const line of createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })) {
    const [recorded = 0, time = 0] = line.split(' ').map(Number);
    acknowledged.push([recorded, time]);
    const lasted = time - (acknowledged[0]?.[1] ?? time);
    if (recorded >= count && lasted > 3 * PROMISED_MS) child.kill('SIGKILL');
  }
  return acknowledged;
}

describe('a gateway that is killed', () => {
  it.each([
    ['as fast as it can', ['20', '0'], 10_000],
    ['a few now and then', ['2', '5'], 200],
  ])('while it records %s loses nothing older than promised, and its journals verify', async (_how, args, count) => {
    await using directory = await makeDirectory();
    const journals = join(directory.path, 'audit');
    await mkdir(journals);
    const acknowledged = await recordAndKill(journals, args, count);
    const [, lastSign] = acknowledged.at(-1) ?? [0, 0];
    const [owed] = acknowledged.findLast(([, time]) => time < lastSign - PROMISED_MS) ?? [0];
    expect(owed).toBeGreaterThan(0);

    expect((await verifyJournals(journals)).faults).toEqual([]);
    const kept = new Set<unknown>();
    for await (const { record } of searchJournals(journals, { types: ['admin'] })) kept.add(record['action']);
    const missing = Array.from({ length: owed }, (_, index) => `action-${index}`).filter((each) => !kept.has(each));
    expect(missing).toEqual([]);
    expect((await runCli(['audit', 'verify', '--dir', journals])).code).toBe(0);
  });
});
