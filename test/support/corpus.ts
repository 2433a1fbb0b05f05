import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ToolSet } from '../../src/base/protocol/tools.js';
import { buildCatalog } from '../../src/catalog/build-catalog.js';
import type { Catalog } from '../../src/catalog/catalog.js';
import { toSlug } from '../../src/config/load/server-definition.js';
import { readToolSet } from '../../src/gateway/captured-gateway.js';
import { anUpstream } from './build-test-catalog.js';
import { eachNth } from './nightly.js';

const FOLDER = fileURLToPath(new URL('../../../shared/corpus/tools/', import.meta.url));

/** Real catalogues; a test that needs them is skipped where they are absent. */
export const corpusIsHere = existsSync(FOLDER);

/** An eighth of what is tried one by one. */
export const sampleOf = <T>(items: readonly T[]): readonly T[] => eachNth(8, items);

let corpus: readonly ToolSet[] | undefined;

/** Read once for all test files of a worker. */
export function readCorpus(): readonly ToolSet[] {
  corpus ??= readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => readToolSet(toSlug(file.replace(/\.json$/, '')), JSON.parse(readFileSync(FOLDER + file, 'utf8'))))
    .filter((set) => set !== undefined);
  return corpus;
}

let catalog: Catalog | undefined;

/** The catalog of all real tools, which takes seconds: built once for all test files of a worker. */
export function corpusCatalog(): Catalog {
  const toolSets = readCorpus();
  const upstreams = toolSets.map(({ upstream }) => anUpstream(upstream));
  catalog ??= buildCatalog({ toolSets, upstreams, builtins: [], pins: {} });
  return catalog;
}
