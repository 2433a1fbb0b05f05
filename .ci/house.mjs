/**
 * Measures the structure of src and holds it against the figures in `house.json`: a ratchet. A figure that has risen fails; one
 * that has fallen is to be written down, so that it cannot rise again unseen.
 *
 *   npm run house              prints the figures; fails where one has risen
 *   npm run house -- --write   writes the figures down; a risen one needs its reason in the same commit
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FIGURES = join(ROOT, '.ci', 'house.json');

/** What each figure counts, in the order in which they are printed. */
const TITLES = {
  rooms: 'folders directly in src',
  arrows: 'pairs of rooms of which one imports the other',
  files: 'files',
  lines: 'lines',
  oneImporter: 'files with exactly one importer',
  generators: 'generator functions',
  turnsImporters: 'files outside base/turns that import the turns of the event loop',
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
    .map(({ fileName }) => join(dirname(file), fileName).replace(/\.js$/, '.ts'));
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

const isBelow = (folder, file) => file.startsWith(folder + sep);

function measure(src) {
  const roomOf = (file) => relative(src, file).split(sep)[0];
  const sources = listSources(src).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const importers = new Map(sources.map(({ file }) => [file, new Set()]));
  for (const { file, text } of sources) for (const target of importsOf(file, text)) importers.get(target)?.add(file);
  const arrows = new Set(
    [...importers].flatMap(([target, users]) => [...users].map((user) => `${roomOf(user)} -> ${roomOf(target)}`)),
  );
  const turns = join(src, 'base', 'turns');
  const usersOfTurns = [...importers].filter(([target]) => isBelow(turns, target)).flatMap(([, users]) => [...users]);
  return {
    rooms: readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory()).length,
    arrows: [...arrows].filter((arrow) => !arrow.includes('.ts') && new Set(arrow.split(' -> ')).size === 2).length,
    files: sources.length,
    lines: sources.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0),
    oneImporter: [...importers.values()].filter(({ size }) => size === 1).length,
    generators: sources.reduce((sum, { file, text }) => sum + countGenerators(file, text), 0),
    turnsImporters: new Set(usersOfTurns.filter((file) => !isBelow(turns, file))).size,
  };
}

const figures = measure(join(ROOT, 'src'));
if (process.argv.includes('--write')) writeFileSync(FIGURES, `${JSON.stringify(figures, null, 2)}\n`);
const written = JSON.parse(readFileSync(FIGURES, 'utf8'));
for (const [name, title] of Object.entries(TITLES)) {
  const [now, before] = [figures[name], written[name]];
  const verdict =
    now > before ? ` (risen from ${before})` : now < before ? ` (fallen from ${before}: write it down)` : '';
  console.log(`${String(now).padStart(7)} ${title}${verdict}`);
}
if (Object.keys(TITLES).some((name) => figures[name] > written[name])) {
  console.error(
    'The house has grown. Make it smaller, or write the figures down (npm run house -- --write) and say why.',
  );
  process.exitCode = 1;
}
