import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/base/json/json.js';
import { type CorpusTool, type Label, parseLabel } from './corpus.js';

/** A labelled tool of our own making; no captured server has it. */
export interface OwnTool {
  readonly tool: CorpusTool;
  readonly label: Label;
}

/**
 * Whether a server of `fresh.tsv`, `invented.tsv`, `trades.tsv`, `strangers.tsv` or `newcomers.tsv` is only scored. The files were written before the rules were worked on for them;
 * the other servers' failures were read then, those of these were not, and are not shown.
 */
export function isUnseen(server: string): boolean {
  return BigInt(`0x${createHash('sha256').update(server).digest('hex')}`) % 2n === 1n;
}

export type OwnFile =
  | 'tools.tsv'
  | 'fresh.tsv'
  | 'invented.tsv'
  | 'trades.tsv'
  | 'strangers.tsv'
  | 'newcomers.tsv'
  | 'disguised.tsv'
  | 'languages.tsv'
  | 'hints.tsv';

const FOLDER = join(import.meta.dirname, 'own-set');

/**
 * The rows of a file of `own-set`: the columns of `labels.tsv` without `grouped_by`, then parameters and a description.
 * A parameter is `name`, with `:int`, `:num` or `:bool` for its type, `*` where it is required, `="text"` for a default and
 * `=a|b` for a choice. `\n` in a description is a new line. Two further columns may follow: hints, and what the parameters'
 * descriptions say (`path: Where it is written; limit: How many`).
 */
export function readOwnSet(file: OwnFile): readonly OwnTool[] {
  const [, ...rows] = readFileSync(join(FOLDER, file), 'utf8').trimEnd().split('\n');
  return rows.map((row) => {
    const [
      id = '',
      category = '',
      also = '',
      mutates = '',
      destroys = '',
      parameters = '',
      description = '',
      hints = '',
      words = '',
    ] = row.split('\t');
    const label = parseLabel([id, category, also, mutates, destroys, '-']);
    const tool: JsonObject = {
      name: id.slice(label.server.length + 2),
      description: description.replaceAll('\\n', '\n'),
      inputSchema: readParameters(parameters, readWords(words)),
      ...(hints !== '' && { annotations: readHints(hints) }),
    };
    return { label, tool: { id, server: label.server, tool } };
  });
}

const TYPES: Readonly<Record<string, string>> = { int: 'integer', num: 'number', bool: 'boolean' };

function readWords(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('; ').flatMap((one) => {
      const end = one.indexOf(': ');
      return end < 0 ? [] : [[one.slice(0, end), one.slice(end + 2)] as const];
    }),
  );
}

function readParameters(text: string, words: ReadonlyMap<string, string>): JsonObject {
  const properties: Record<string, JsonObject> = {};
  const required: string[] = [];
  for (const part of text.split(' ').filter((one) => one !== '')) {
    const [, name = '', type = '', mark, value] = /^([\w-]+)(?::(\w+))?(\*)?(?:=(.*))?$/.exec(part) ?? [];
    const constants = value === undefined || value.startsWith('"') ? [] : value.split('|');
    const description = words.get(name);
    properties[name] = {
      type: TYPES[type] ?? 'string',
      ...(description !== undefined && { description }),
      ...(value?.startsWith('"') === true && { default: JSON.parse(value) }),
      ...(constants.length > 0 && { enum: constants }),
    };
    if (mark !== undefined) required.push(name);
  }
  return { type: 'object', properties, required };
}

/** `read` and `write` are `readOnlyHint` true and false, `destroys` is `destructiveHint: true`. */
function readHints(text: string): JsonObject {
  const hints = new Set(text.split(' '));
  return {
    ...(hints.has('read') && { readOnlyHint: true }),
    ...(hints.has('write') && { readOnlyHint: false }),
    ...(hints.has('destroys') && { destructiveHint: true }),
  };
}
