import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface BuiltSources extends AsyncDisposable {
  /** Where a source, named from `src` and without its ending, was built to. */
  fileOf(source: string): string;
}

/** Rooms of `src` as plain JavaScript, for tests that need the code in a process of its own. */
export async function buildSources(rooms: readonly string[]): Promise<BuiltSources> {
  // Below the repository, so that packages are found.
  const cache = path.join(ROOT, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const target = await mkdtemp(path.join(cache, 'built-sources-'));
  await writeFile(path.join(target, 'package.json'), '{"type":"module"}');
  for (const room of rooms) await buildFolder(path.join(ROOT, 'src', room), path.join(target, room));
  return {
    fileOf: (source) => path.join(target, `${source}.js`),
    [Symbol.asyncDispose]: () => rm(target, { recursive: true, force: true }),
  };
}

async function buildFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = path.join(from, entry.name);
    if (entry.isDirectory()) await buildFolder(source, path.join(to, entry.name));
    else if (entry.name.endsWith('.ts')) await buildFile(source, path.join(to, entry.name.replace(/\.ts$/, '.js')));
  }
}

async function buildFile(from: string, to: string): Promise<void> {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023, verbatimModuleSyntax: true };
  const { outputText } = ts.transpileModule(await readFile(from, 'utf8'), { compilerOptions });
  await writeFile(to, outputText);
}
