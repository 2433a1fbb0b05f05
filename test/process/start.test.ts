import { execFile } from 'node:child_process';
import { cp, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { startReplayServer } from '../support/replay-server.js';
import { REPOSITORY, serveGateway } from '../support/served-gateway.js';

/** Writes a line for each file of the bundle with what V8 made of its compiled code, for each package, and for each thread. */
const WATCH = `data:text/javascript,${encodeURIComponent(`
  import vm from 'node:vm';
  import threads from 'node:worker_threads';
  import nodeModule, { syncBuiltinESMExports } from 'node:module';
  const note = (...words) => process.stderr.write('start ' + words.join(' ') + '\\n');
  vm.Script = class extends vm.Script {
    constructor(source, options) {
      super(source, options);
      const code = options.cachedData === undefined ? 'absent' : this.cachedDataRejected ? 'refused' : 'taken';
      note('chunk', options.filename.split(/[\\\\/]/).pop(), code);
    }
  };
  threads.Worker = class extends threads.Worker {
    constructor(file, options) {
      super(file, options);
      note('thread', file);
    }
  };
  const load = nodeModule._load;
  nodeModule._load = (id, ...rest) => {
    if (!/^(?:node:|[./])/.test(id) && !nodeModule.builtinModules.includes(id)) note('package', id);
    return load(id, ...rest);
  };
  syncBuiltinESMExports();
`)}`;

interface Started {
  readonly chunks: ReadonlyMap<string, string>;
  readonly packages: ReadonlySet<string>;
  readonly threads: readonly string[];
}

function readStart(stderr: string): Started {
  const notes = [...stderr.matchAll(/^start (\S+) (\S+) ?(\S*)$/gm)].map(([, kind, name = '', code = '']) => ({
    kind,
    name,
    code,
  }));
  const namesOf = (kind: string) => notes.filter((note) => note.kind === kind).map(({ name }) => name);
  return {
    chunks: new Map(notes.filter(({ kind }) => kind === 'chunk').map(({ name, code }) => [name, code])),
    packages: new Set(namesOf('package')),
    threads: namesOf('thread'),
  };
}

const TOOL = { name: 'get_item', description: 'Get one item.', inputSchema: { type: 'object', properties: {} } };

async function watchStart(): Promise<Started> {
  await using upstream = await startReplayServer(new Map([['items', [TOOL]]]));
  await using gateway = await serveGateway(
    { mcpServers: { items: { url: upstream.urlOf('items') } } },
    { nodeArgs: ['--import', WATCH] },
  );
  return readStart(gateway.stderr());
}

describe('a start with one HTTP server', () => {
  it('takes all code of the bundle compiled, as the build has kept it', async () => {
    const { chunks } = await watchStart();
    expect([...chunks].filter(([, code]) => code !== 'taken')).toEqual([]);
    expect([...chunks.keys()]).toEqual(
      expect.arrayContaining(['start.cjs', 'gateway.cjs', 'http-server.cjs', 'http.cjs']),
    );
  });

  it('loads of the bundle and of packages only what it uses, and starts no thread but the one of the state file', async () => {
    const { chunks, packages, threads } = await watchStart();
    const unused = ['sse.cjs', 'stdio.cjs', 'stdio-server.cjs', 'ajv.cjs', 'redis-store.cjs', 'conformance.cjs'];
    expect([...chunks.keys()].filter((name) => unused.includes(name))).toEqual([]);
    expect([...packages].filter((name) => !/^(?:@libsql\/.*|libsql|@neon-rs\/load|detect-libc)$/.test(name))).toEqual(
      [],
    );
    expect(threads.map((file) => file.split('/').at(-1))).toEqual(['store-thread.js']);
    const sizes = await Promise.all([...chunks.keys()].map((name) => stat(join(REPOSITORY, 'dist/chunk', name))));
    // 4.9 MB now: whatever comes to it is read, compiled and kept in memory at each start.
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(5_000_000);
  });
});

describe('the reader of HTTP responses', () => {
  /** V8 says on stdout which WebAssembly it compiled, and with which compiler. */
  const TRACE = '--trace-wasm-compilation-times';
  const CALL = `
    const { fetch } = await import('undici');
    const { createServer } = await import('node:http');
    const server = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1', async () => {
      for (let count = 0; count < 20; count += 1) await (await fetch('http://127.0.0.1:' + server.address().port)).text();
      process.exit();
    });
  `;
  const LOADER = JSON.stringify(pathToFileURL(join(REPOSITORY, 'dist/cli/load-program.js')).href);

  it('is compiled for speed only after many responses, as that leaves 10 MB behind', async () => {
    const source = `(await import(${LOADER})).loadProgram(); ${CALL}`;
    const { stdout } = await promisify(execFile)(process.execPath, [TRACE, '--input-type=module', '-e', source], {
      cwd: REPOSITORY,
      timeout: 20_000,
    });
    const compilers = [...stdout.matchAll(/ using (Liftoff|TurboFan)/g)].map(([, compiler]) => compiler);
    expect(new Set(compilers)).toEqual(new Set(['Liftoff']));
  });
});

describe('the program', () => {
  const WORDS = 'dist/classify/words/words.txt';
  async function copyProgram(path: string): Promise<void> {
    for (const part of ['package.json', 'dist/cli', 'dist/chunk', WORDS, 'dist/compiled']) {
      await cp(join(REPOSITORY, part), join(path, part), { recursive: true });
    }
    await symlink(join(REPOSITORY, 'node_modules'), join(path, 'node_modules'));
  }

  const run = async (path: string, ...nodeArgs: string[]) => {
    const program = join(path, 'dist/cli/main.js');
    return promisify(execFile)(process.execPath, [...nodeArgs, program, 'version'], { timeout: 20_000 });
  };

  it('runs as it was changed, not as it was compiled before', async () => {
    await using directory = await makeDirectory();
    await copyProgram(directory.path);
    const entry = join(directory.path, 'dist/chunk/start.cjs');
    const source = await readFile(entry, 'utf8');
    const changed = source.replaceAll(', Node $', ', NODE $');
    expect(changed).not.toBe(source);
    await writeFile(entry, changed);
    const { stdout, stderr } = await run(directory.path, '--import', WATCH);
    expect(stdout).toContain(', NODE ');
    const { chunks } = readStart(stderr);
    expect(chunks.get('start.cjs')).toBe('absent');
    expect([...chunks.values()].filter((code) => code === 'taken').length).toBeGreaterThan(5);
  });

  it('runs from its source where no code is kept for this Node, or source maps are asked for', async () => {
    await using directory = await makeDirectory();
    await copyProgram(directory.path);
    expect((await run(directory.path, '--enable-source-maps')).stdout).toContain('mcp-aql-gateway ');
    await cp(join(directory.path, 'dist/cli'), join(directory.path, 'bare/dist/cli'), { recursive: true });
    await cp(join(directory.path, 'dist/chunk'), join(directory.path, 'bare/dist/chunk'), { recursive: true });
    for (const file of ['package.json', WORDS])
      await cp(join(directory.path, file), join(directory.path, 'bare', file));
    expect((await run(join(directory.path, 'bare'))).stdout).toContain('mcp-aql-gateway ');
  });
});
