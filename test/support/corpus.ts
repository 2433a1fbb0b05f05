import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toSlug } from '../../src/config/server-definition.js';
import { readToolSet } from '../../src/gateway/captured-gateway.js';
import type { ToolSet } from '../../src/protocol/tools.js';

const FOLDER = fileURLToPath(new URL('../../../shared/corpus/tools/', import.meta.url));

/** Real catalogues; a test that needs them is skipped where they are absent. */
export const corpusIsHere = existsSync(FOLDER);

export function readCorpus(): readonly ToolSet[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => readToolSet(toSlug(file.replace(/\.json$/, '')), JSON.parse(readFileSync(FOLDER + file, 'utf8'))))
    .filter((set) => set !== undefined);
}
