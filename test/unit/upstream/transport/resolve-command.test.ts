import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  childEnvironment,
  type FolderOwner,
  listBinDirectories,
  mayInstall,
  type ResolvedCommand,
  resolveCommand,
} from '../../../../src/upstream/transport/resolve-command.js';

let root: string;
const at = (...parts: readonly string[]): string => path.join(root, ...parts);

async function program(...parts: readonly string[]): Promise<void> {
  const file = at(...parts);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, '#!/bin/sh\n');
  await chmod(file, 0o755);
}

async function installed(name: string, version: string, bin: unknown): Promise<void> {
  await program('node_modules', name, 'dist', 'index.js');
  await writeFile(at('node_modules', name, 'package.json'), JSON.stringify({ name, version, bin }));
}

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'resolve-command-'));
  await program('path', 'both');
  await program('path', 'npx');
  await program('node_modules', '.bin', 'both');
  await program('node_modules', '.bin', 'local');
  await program('cwd', 'script.sh');
  await writeFile(at('path', 'blocked'), '');
  await installed('plain', '1.0.0', './dist/index.js');
  await installed('@scope/server-files', '2.0.0', { 'mcp-server-files': 'dist/index.js' });
  await installed('several', '1.0.0', { one: 'dist/index.js', several: 'dist/index.js' });
  await installed('ambiguous', '1.0.0', { one: 'dist/index.js', two: 'dist/index.js' });
  await installed('absent-bin', '1.0.0', 'dist/nowhere.js');
});
afterAll(() => rm(root, { recursive: true }));

function resolve(
  command: string,
  args: readonly string[] = [],
  platform: NodeJS.Platform = 'linux',
): Promise<ResolvedCommand> {
  return resolveCommand(
    { type: 'stdio', command, args, env: {}, cwd: at('cwd') },
    { binDirectories: [at('node_modules', '.bin')], env: { PATH: at('path') }, platform },
  );
}

describe('resolveCommand', () => {
  it('looks in PATH, then in the bin folders', async () => {
    expect(await resolve('both', ['-v'])).toEqual({ file: at('path', 'both'), args: ['-v'] });
    expect(await resolve('local')).toEqual({ file: at('node_modules', '.bin', 'local'), args: [] });
  });

  it('takes a path from the working directory', async () => {
    expect(await resolve('./script.sh')).toEqual({ file: at('cwd', 'script.sh'), args: [] });
  });

  it('explains what is missing', async () => {
    await expect(resolve('nowhere')).rejects.toThrow("command 'nowhere' was not found in PATH or node_modules/.bin");
    await expect(resolve('./nowhere')).rejects.toThrow("command './nowhere' does not exist");
    await expect(resolve('./')).rejects.toThrow("command './' is a folder: name the program in it");
    await expect(resolve('both -y --stdio')).rejects.toThrow(
      'command \'both -y --stdio\' holds arguments: write "command": "both", "args": ["-y","--stdio"]',
    );
    await expect(resolve('nowhere -y')).rejects.toThrow("command 'nowhere -y' was not found");
    await expect(resolve('blocked')).rejects.toThrow(/^'.*blocked' is not executable \(command 'blocked'\)$/);
  });

  it('runs batch files by cmd.exe on Windows', async () => {
    await program('path', 'tool.cmd');
    expect(await resolve('tool.cmd', ['a b', 'say "hi"'], 'win32')).toEqual({
      file: 'cmd.exe',
      args: ['/d', '/s', '/c', `""${at('path', 'tool.cmd')}" "a b" "say ""hi""""`],
      verbatim: true,
    });
  });
});

describe('npx', () => {
  const plain = (): string => at('node_modules', 'plain', 'dist', 'index.js');

  it.each([[['plain', '/data', '-y']], [['-y', 'plain', '/data', '-y']], [['--yes', 'plain@1.0.0', '/data', '-y']]])(
    'starts an installed package itself: npx %j',
    async (args) => {
      expect(await resolve('npx', args)).toEqual({ file: process.execPath, args: [plain(), '/data', '-y'] });
    },
  );

  it('chooses the program as npx does', async () => {
    const scoped = at('node_modules', '@scope/server-files', 'dist', 'index.js');
    expect(await resolve('npx', ['-y', '@scope/server-files'])).toEqual({ file: process.execPath, args: [scoped] });
    const several = at('node_modules', 'several', 'dist', 'index.js');
    expect(await resolve('npx', ['several'])).toEqual({ file: process.execPath, args: [several] });
  });

  it.each([
    [['-y', 'not-installed']],
    [['plain@2.0.0']],
    [['plain@latest']],
    [['-p', 'plain', 'both']],
    [['ambiguous']],
    [['absent-bin']],
    [[]],
  ])('is left alone where anything is unusual: npx %j', async (args) => {
    expect(await resolve('npx', args)).toEqual({ file: at('path', 'npx'), args });
  });
});

const OURS: FolderOwner = { uid: 1000, writableByAll: false };

it('programs are looked for beside the configuration and in every folder above it, nearest first', () => {
  expect(listBinDirectories(['/a/b', '/a/c'], () => OURS)).toEqual([
    '/a/b/node_modules/.bin',
    '/a/node_modules/.bin',
    '/node_modules/.bin',
    '/a/c/node_modules/.bin',
  ]);
});

it.each<[string, FolderOwner | undefined]>([
  ['another user has made', { uid: 4711, writableByAll: false }],
  ['all users may write to', { uid: 1000, writableByAll: true }],
  ['is not there, so that anybody could make it', undefined],
])('no program is taken from a folder above that %s', (_what, shared) => {
  const ownerOf = (folder: string) => (folder.startsWith('/tmp/node_modules') ? shared : OURS);
  const directories = listBinDirectories(['/tmp/project'], ownerOf);
  expect(directories).toEqual(['/tmp/project/node_modules/.bin', '/node_modules/.bin']);
});

it('a folder above that the owner of the configuration has made counts, whoever runs the gateway', () => {
  const ownerOf = (): FolderOwner => ({ uid: 4711, writableByAll: false });
  expect(listBinDirectories(['/srv/project/gateway'], ownerOf)).toContain('/srv/project/node_modules/.bin');
});

const own = { PATH: '/bin', HOME: '/users/me', SECRET: 's', SHELL: '() { :; }', SYSTEMROOT: 'C:\\Windows', Path: 'x' };

describe('childEnvironment', () => {
  it('inherits the few names that are needed, and no shell functions', () => {
    expect(childEnvironment({}, own, 'linux')).toEqual({ PATH: '/bin', HOME: '/users/me' });
    expect(childEnvironment({}, own, 'win32')).toEqual({ PATH: '/bin', SYSTEMROOT: 'C:\\Windows' });
  });

  it('lets the configuration win', () => {
    expect(childEnvironment({ PATH: '/opt/bin', TOKEN: 't' }, own, 'linux')).toEqual({
      PATH: '/opt/bin',
      HOME: '/users/me',
      TOKEN: 't',
    });
  });
});

it.each([
  ['npx -y some-server', true],
  ['/usr/bin/npx some-server', true],
  ['uv tool run some-server', true],
  ['cmd /c npx some-server', true],
  ['sh -c uvx some-server', true],
  ['docker run -i some/server', true],
  ['node docker-server.js', false],
  ['python -m server', false],
  ['npm start', false],
])('a start by %s may have to install the server first: %s', (line, expected) => {
  const [command = '', ...args] = line.split(' ');
  expect(mayInstall({ type: 'stdio', command, args, env: {}, cwd: '.' })).toBe(expected);
});
