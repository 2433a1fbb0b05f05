import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../src/base/json/json.js';
import type { Category } from '../../src/base/protocol/operation.js';
import type { RawTool } from '../../src/base/protocol/tools.js';

/** A captured tool and the server it is from. */
export interface CorpusTool {
  /** `server::tool`, as the labels name it. */
  readonly id: string;
  readonly server: string;
  readonly tool: RawTool;
}

/** One row of `labels.tsv`: the labels of two readers. */
export interface Label {
  readonly id: string;
  readonly server: string;
  readonly category: Category;
  /** Every category that counts as right, `category` first. */
  readonly accepted: readonly Category[];
  readonly mutates: 'y' | 'n' | '?';
  readonly destroys: 'y' | 'm' | 'n';
  /** The parameter that chooses the effect; null where none does. */
  readonly groupedBy: string | null;
}

const SHARED_CORPUS = join(import.meta.dirname, '../../../shared/corpus');

/** The corpus' directory: the one that was asked for, else the one beside the repository; undefined where it does not exist. */
export function findCorpus(directory = process.env['EVAL_CORPUS'] ?? SHARED_CORPUS): string | undefined {
  return existsSync(join(directory, 'labels.tsv')) ? directory : undefined;
}

/** Every tool of every captured server, in the order of the files. */
export function readCorpusTools(directory: string, folder = 'tools'): readonly CorpusTool[] {
  const files = readdirSync(join(directory, folder)).filter((file) => file.endsWith('.json'));
  return files.sort().flatMap((file) => {
    const server = file.slice(0, -'.json'.length);
    const captured: unknown = JSON.parse(readFileSync(join(directory, folder, file), 'utf8'));
    const tools = isJsonObject(captured) && Array.isArray(captured['tools']) ? captured['tools'] : [];
    return tools.filter(isJsonObject).map((tool) => ({ id: `${server}::${String(tool['name'])}`, server, tool }));
  });
}

/** The folders of captured servers; the second holds those that were hidden while the first classifier was made. */
const FOLDERS = ['tools', 'tools-more'] as const;

/** Every tool of every captured server of all folders. */
export function readAllTools(directory: string): readonly CorpusTool[] {
  return FOLDERS.filter((folder) => existsSync(join(directory, folder))).flatMap((folder) =>
    readCorpusTools(directory, folder),
  );
}

/** The rows of `labels.tsv`. */
export function readLabels(directory: string, file = 'labels.tsv'): readonly Label[] {
  const [, ...rows] = readFileSync(join(directory, file), 'utf8').trim().split('\n');
  return rows.map((row) => parseLabel(row.split('\t')));
}

/** The labels of all captured servers. */
export function readAllLabels(directory: string): readonly Label[] {
  const files = ['labels.tsv', 'labels-more.tsv'].filter((file) => existsSync(join(directory, file)));
  return files.flatMap((file) => readLabels(directory, file));
}

/** One row of labels, by its columns. */
export function parseLabel(columns: readonly string[]): Label {
  const [id = '', category = '', also = '-', mutates = '?', destroys = 'n', grouped = '-'] = columns;
  const others = also === '-' ? [] : also.split(',');
  return {
    id,
    server: id.slice(0, id.indexOf('::')),
    category: category as Category,
    accepted: [category, ...others] as Category[],
    mutates: mutates as Label['mutates'],
    destroys: destroys as Label['destroys'],
    groupedBy: grouped === '-' ? null : grouped,
  };
}

/**
 * Every fourth server, by the hash of its name, is only scored: nothing is learned from it, and its failures are neither printed
 * nor read.
 */
export function isOnlyScored(server: string): boolean {
  return BigInt(`0x${createHash('sha256').update(server).digest('hex')}`) % 4n === 0n;
}
