/**
 * Measures the structure of src. Lines, those of each module too, are held against the decision that bounds them, the other figures against `house.json`:
 * one that has risen fails, and one that has fallen is to be written down, so that it cannot rise again unseen.
 *
 *   npm run house              prints the figures; fails where one is over its bound
 *   npm run house -- --write   writes down the figures that have fallen
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { boundOf, readBounds } from './bounds.mjs';

const SRC = fileURLToPath(new URL('../src', import.meta.url));
const FIGURES = fileURLToPath(new URL('house.json', import.meta.url));

/** What each figure counts, in the order in which they are printed. */
const TITLES = {
  intoModules: 'imports of modules from outside modules, cli and the package',
  loopImporters: 'files that import the turns or pauses of the event loop',
  generators: 'generator functions',
};

function listSources(folder) {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

/** The files that a file imports, statically or when it runs, types included. */
function importsOf(file, text) {
  return ts
    .preProcessFile(text)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => join(dirname(file), fileName));
}

function countGenerators(file, text) {
  let count = 0;
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.asteriskToken !== undefined) count += 1;
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return count;
}

const isIn =
  (...folders) =>
  (file) =>
    folders.some((folder) => file.startsWith(join(SRC, folder) + sep));
const isModule = isIn('modules');
/** The command line, and the package's door. */
const usesModules = (file) => isIn('modules', 'cli')(file) || file === join(SRC, 'index.ts');
const isLoop = isIn('base/turns', 'base/pauses');

function measure() {
  const sources = listSources(SRC).map((file) => {
    const text = readFileSync(file, 'utf8');
    return { file, text, imports: importsOf(file, text) };
  });
  const sum = (count) => sources.reduce((total, source) => total + count(source), 0);
  const parts = new Map();
  for (const { file, text } of sources) {
    const part = isModule(file) ? relative(join(SRC, 'modules'), file).split(sep)[0] : 'core';
    parts.set(part, (parts.get(part) ?? 0) + text.split('\n').length - 1);
  }
  return {
    parts: [...parts].filter(([part]) => part !== 'modules.ts'),
    lines: sum(({ text }) => text.split('\n').length - 1),
    intoModules: sum(({ file, imports }) => (usesModules(file) ? 0 : imports.filter(isModule).length)),
    loopImporters: sum(({ file, imports }) => (!isLoop(file) && imports.some(isLoop) ? 1 : 0)),
    generators: sum(({ file, text }) => countGenerators(file, text)),
  };
}

const figures = measure();
const written = JSON.parse(readFileSync(FIGURES, 'utf8'));
const print = (figure, title, verdict = '') => console.log(`${String(figure).padStart(7)} ${title}${verdict}`);

const most = boundOf(readBounds(), 'lines of src');
print(figures.lines, 'lines of src', ` (${figures.lines > most ? 'over' : 'at most'} ${most})`);
let isOver = figures.lines > most;
const mostOfModule = boundOf(readBounds(), 'lines of a module');
for (const [part, lines] of figures.parts) {
  const isLarge = part !== 'core' && lines > mostOfModule;
  print(
    lines,
    part === 'core' ? 'of them in the core' : `in the module ${part}`,
    isLarge ? ` (over ${mostOfModule})` : '',
  );
  isOver ||= isLarge;
}
for (const [name, title] of Object.entries(TITLES)) {
  const [now, before] = [figures[name], written[name]];
  print(now, title, now === before ? '' : now > before ? ` (risen from ${before})` : ` (fallen from ${before})`);
  isOver ||= now > before;
}
if (process.argv.includes('--write')) {
  const fallen = Object.keys(TITLES).map((name) => [name, Math.min(figures[name], written[name])]);
  writeFileSync(FIGURES, `${JSON.stringify(Object.fromEntries(fallen), null, 2)}\n`);
}
if (isOver) {
  console.error('The house has grown. Make it smaller, or say in docs/adr/0077 why it is right.');
  process.exitCode = 1;
}
