import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/** The bundle's entry (`tools/bundle.mjs`). */
const ENTRY = 'start.cjs';
const CHUNKS = fileURLToPath(new URL('../chunk/', import.meta.url));

/** Bytecode depends on the version of V8 and on the machine; V8 itself compares the flags. */
const COMPILED = fileURLToPath(
  new URL(`../compiled/${process.version}-${process.platform}-${process.arch}/`, import.meta.url),
);

/** The digest of the source ends each file of compiled code: V8 compares only the length. */
const DIGEST_BYTES = 32;

/**
 * How much WebAssembly runs before V8 compiles it anew for speed, which leaves 10 MB with the thread that does it. The reader of
 * HTTP responses (undici's) comes to V8's own value with the first responses, this one takes hundreds of them, so that a start and
 * a gateway that is hardly used keep the 10 MB. https://v8.dev/docs/wasm-compilation-pipeline
 */
const WASM_TIERING_BUDGET = 1_000_000_000;

type Program = typeof import('./start.js');

/** A file of the bundle that has been loaded, and where compiled code for it is kept. */
interface LoadedChunk {
  readonly script: Script;
  readonly digest: Buffer;
  readonly compiledFile: string;
}

/**
 * Loads the program. Compiling it takes a third of a start, so the build keeps compiled code for the Node that it runs on
 * (`tools/keep-compiled.mjs`). With any other Node the program is loaded as usual.
 */
export function loadProgram(): Program {
  setFlags();
  const require = nodeModule.createRequire(join(CHUNKS, ENTRY));
  // Node reads source maps only of what it loads itself.
  if (existsSync(COMPILED) && !process.sourceMapsEnabled) return loadChunks(readCompiled);
  // Node 22.1 and newer can keep compiled code themselves: https://nodejs.org/api/module.html#moduleenablecompilecachecachedir
  if ('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function') {
    nodeModule.enableCompileCache();
  }
  return require(`./${ENTRY}`);
}

/**
 * Loads the program from its source and gives each file of it, for who keeps their code once it has run.
 * @param onLoaded called for each file as it is loaded, also later
 */
export function loadFromSource(onLoaded: (chunk: LoadedChunk) => void): Program {
  setFlags();
  return loadChunks(() => undefined, onLoaded);
}

/** Before code is compiled and before compiled code is read: V8 takes only what was compiled with the same flags. */
function setFlags(): void {
  setFlagsFromString(`--wasm-tiering-budget=${WASM_TIERING_BUDGET}`);
}

function loadChunks(
  compiledOf: (file: string, digest: Buffer, read: ReadFile) => Buffer | undefined,
  onLoaded?: (chunk: LoadedChunk) => void,
): Program {
  const requirePackage = nodeModule.createRequire(join(CHUNKS, ENTRY));
  const loaded = new Map<string, { exports: unknown }>();
  const read = createReader();
  const load = (name: string): unknown => {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    const filename = join(CHUNKS, name);
    const bytes = read(filename);
    const digest = createHash('sha256').update(bytes).digest();
    // All text of the bundle is ASCII.
    const source = bytes.toString('latin1');
    const compiledFile = join(COMPILED, name);
    const cachedData = compiledOf(compiledFile, digest, read);
    const script = new Script(`(function (exports, require, module, __filename) {${source}\n})`, {
      filename,
      ...(cachedData === undefined ? {} : { cachedData }),
    });
    onLoaded?.({ script, digest, compiledFile });
    script.runInThisContext()(module.exports, require, module, filename);
    return module.exports;
  };
  const require = (id: string): unknown => (id.startsWith('./') ? load(id.slice('./'.length)) : requirePackage(id));
  return load(ENTRY) as Program;
}

/** The compiled code of a source with this digest, where it is kept. */
function readCompiled(file: string, digest: Buffer, read: ReadFile): Buffer | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = read(file);
  const end = bytes.length - DIGEST_BYTES;
  return bytes.subarray(end).equals(digest) ? bytes.subarray(0, end) : undefined;
}

type ReadFile = (file: string) => Buffer;

/** Reads files into the same memory: each result is lost with the next, and the process stays smaller than with a buffer each. */
function createReader(): ReadFile {
  let memory = Buffer.alloc(1024 * 1024);
  return (file) => {
    const handle = openSync(file, 'r');
    try {
      const { size } = fstatSync(handle);
      if (size > memory.length) memory = Buffer.alloc(size);
      let length = 0;
      while (length < size) {
        const read = readSync(handle, memory, length, size - length, length);
        if (read === 0) break;
        length += read;
      }
      return memory.subarray(0, length);
    } finally {
      closeSync(handle);
    }
  };
}
