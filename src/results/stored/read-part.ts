import { parseExact, writeExact } from '../../base/json/exact-numbers.js';
import { parsePath } from '../query/fields.js';
import type { StoredPart, StoredResultRequest } from '../query/result-types.js';
import { createProjection } from '../query/select-fields.js';
import { readStoredResult } from './read-stored.js';

/** Reads a part of a stored result; JSON text. Throws an `OperationError`. */
export function readStoredPart({ operation, content, request, maxBytes, now }: StoredPart): string {
  // Content that came from another thread is a plain array of bytes.
  const dataText = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString();
  const reading = readStoredResult({ operation, dataText }, request, {
    maxBytes,
    project: (items, fields) => projectStored(items, fields, now),
    parse: parseExact,
  });
  return writeExact(reading);
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
