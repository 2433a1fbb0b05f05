import { parseExact, writeExact } from '../../base/json/exact-numbers.js';
import { parsePath } from '../query/fields.js';
import type { StoredPart, StoredResultRequest } from '../query/result-types.js';
import { createProjection } from '../query/select-fields.js';
import { withinTokens } from './fit-tokens.js';
import { type Project, readStoredResult } from './read-stored.js';

/** A part of a stored result takes no less. */
const LEAST_BYTES = 1_024;

/** Reads a part of a stored result; JSON text. Throws an `OperationError`. */
export function readStoredPart({ operation, content, request, maxTokens, now }: StoredPart): string {
  // Content that came from another thread is a plain array of bytes.
  const dataText = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString();
  let parsed: unknown;
  const parse = (text: string): unknown => {
    parsed ??= parseExact(text);
    return parsed;
  };
  const project: Project = (items, fields) => projectStored(items, fields, now);
  return withinTokens(maxTokens, (maxBytes) => ({
    text: writeExact(
      readStoredResult({ operation, dataText }, request, { maxBytes: Math.max(LEAST_BYTES, maxBytes), project, parse }),
    ),
  })).text;
}

function projectStored(
  items: readonly unknown[],
  fields: NonNullable<StoredResultRequest['fields']>,
  now: number,
): readonly unknown[] {
  const paths = typeof fields === 'string' ? [] : fields.map(parsePath).filter((path) => path !== undefined);
  const selection = typeof fields === 'string' ? { preset: fields, paths } : { paths };
  return items.map(createProjection(selection, items, { computed: [], presets: new Map(), now }));
}
