import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PAGE = readFileSync(`${ROOT}docs/security.md`, 'utf8');

/** The table of boundaries: what is promised, what holds it, what tests it. */
const rows = [...PAGE.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)]
  .map(([, name = '', , held = '', tested = '']) => ({ name, held: named(held), tested: named(tested) }))
  .filter(({ name }) => !['boundary', '---'].includes(name));

function named(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
}

const isOfCode = (path: string): boolean => ['', '.ts'].some((end) => existsSync(`${ROOT}src/${path}${end}`));

/** A file of tests, a folder of them, or what a script of the package runs. */
function isTest(path: string): boolean {
  const script = /^npm run (\S+)$/.exec(path)?.[1];
  if (script !== undefined) return script in JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')).scripts;
  if (existsSync(`${ROOT}test/${path}.test.ts`)) return true;
  return (
    existsSync(`${ROOT}test/${path}`) &&
    readdirSync(`${ROOT}test/${path}`, { recursive: true }).join().includes('.test.ts')
  );
}

it('each promise of docs/security.md names what holds it, and the tests that break with it', () => {
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter(({ held, tested }) => held.length === 0 || tested.length === 0)).toEqual([]);
  expect(rows.flatMap(({ name, held }) => held.filter((path) => !isOfCode(path)).map((path) => [name, path]))).toEqual(
    [],
  );
  expect(
    rows.flatMap(({ name, tested }) => tested.filter((path) => !isTest(path)).map((path) => [name, path])),
  ).toEqual([]);
});
