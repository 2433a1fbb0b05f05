import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Observation } from '../../../../src/base/observe/observation.js';
import {
  followServerLog,
  olderLogFile,
  ServerLogs,
  serverLogFile,
  tailServerLog,
} from '../../../../src/upstream/transport/server-logs.js';

let directory = '';
const observed: Observation[] = [];

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'server-logs-')), 'logs');
  observed.length = 0;
});

afterEach(() => rm(join(directory, '..'), { recursive: true }));

const openLogs = (maxFileBytes = 10_000): ServerLogs =>
  new ServerLogs({ directory, maxFileBytes, observe: (observation) => observed.push(observation) });
const withoutTime = (line: string): string => line.replace(/^\S+ /, '');

it('keeps the lines of each server in a file that only its owner may read', async () => {
  const logs = openLogs();
  logs.write('one', 'first\nline');
  logs.write('two', 'other');
  await logs.flushed();
  expect(await readFile(serverLogFile(directory, 'one'), 'utf8')).toMatch(/^\d{4}-\S+Z first line\n$/);
  expect((await stat(serverLogFile(directory, 'one'))).mode & 0o777).toBe(0o600);
});

it('keeps two files of bounded length, and reads the newest lines of both', async () => {
  const logs = openLogs(200);
  for (let line = 1; line <= 50; line += 1) {
    logs.write('one', `line ${line}`);
    await logs.flushed();
  }
  const file = serverLogFile(directory, 'one');
  expect((await stat(file)).size + (await stat(olderLogFile(file))).size).toBeLessThanOrEqual(400);
  const tail = await tailServerLog(directory, 'one', 4);
  expect(tail?.lines.map(withoutTime)).toEqual(['line 47', 'line 48', 'line 49', 'line 50']);
});

it('leaves lines out, and says how many, when a server prints faster than they are written', async () => {
  const logs = openLogs(10_000_000);
  for (let line = 0; line < 500; line += 1) logs.write('one', 'x'.repeat(1_000));
  await logs.flushed();
  const tail = await tailServerLog(directory, 'one', 1);
  expect(tail?.lines.map(withoutTime)).toEqual([expect.stringMatching(/^\(2\d\d more lines were left out\)$/)]);
});

it('reads what is written later, across a rotation', async () => {
  const logs = openLogs(200);
  logs.write('one', 'before');
  await logs.flushed();
  const tail = await tailServerLog(directory, 'one', 10);
  const stop = new AbortController();
  const following = followServerLog(directory, 'one', tail!.position, stop.signal);
  for (const line of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
    logs.write('one', line);
    await logs.flushed();
  }
  const read: string[] = [];
  for await (const line of following) {
    read.push(withoutTime(line));
    if (line.endsWith('g')) stop.abort();
  }
  expect(read).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
});

it('reports once that the files cannot be written', async () => {
  directory = '/dev/null/logs';
  const logs = openLogs();
  for (const line of ['a', 'b']) {
    logs.write('one', line);
    await logs.flushed();
  }
  directory = join(await mkdtemp(join(tmpdir(), 'server-logs-')), 'logs');
  expect(observed).toEqual([expect.objectContaining({ kind: 'diagnostic', upstream: 'one' })]);
});

it('knows nothing of a server that has printed nothing', async () => {
  expect(await tailServerLog(directory, 'one', 10)).toBeUndefined();
});
