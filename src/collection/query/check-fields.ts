import { similarity } from '../../catalog/nearest-name.js';
import { quoteValue, quoteValues } from '../../catalog/schema/quote-value.js';
import { OperationError } from '../../protocol/operation-error.js';
import type { CollectionQuery, FieldPath } from '../collection-query.js';
import { parsePath, writePath } from './field-path.js';
import { type KnownFields, nearestFields } from './known-fields.js';
import { type QueryFault, refuseFaults } from './query-fault.js';

const MAX_SHOWN = 30;

/** Below this a name is too unlike to have been meant. */
const LIKELY = 0.5;

/**
 * Throws VALIDATION_UNKNOWN_FIELD for fields that no item has, and VALIDATION_INVALID_ENUM for a preset that there is not.
 * A field that only some items have is known.
 */
export function checkFields(query: CollectionQuery, known: KnownFields, operation: string): void {
  const preset = query.fields?.preset;
  if (preset !== undefined && !known.presets.includes(preset)) refuseFaults([presetFault(preset, known)], operation);
  const unknown = [
    ...new Set(
      pathsOf(query)
        .filter((path) => !known.has(path))
        .map(writePath),
    ),
  ];
  if (unknown.length > 0) throw unknownFields(unknown, known.names(), operation);
}

function pathsOf({ filter, sort, fields, aggregate = [] }: CollectionQuery): readonly FieldPath[] {
  const aggregated = aggregate.flatMap(([, { groupBy, sum, avg, min, max }]) => [groupBy, sum, avg, min, max]);
  return [
    ...filter.map(({ path }) => path),
    ...sort.map(({ path }) => path),
    ...(fields?.paths ?? []),
    ...aggregated.filter((path) => path !== undefined),
  ];
}

function unknownFields(unknown: readonly string[], known: readonly string[], operation: string): OperationError {
  const nearest = nearestFields(unknown, known);
  const shown = unknown.slice(0, MAX_SHOWN);
  const listed = shown.map((name) => {
    const [meant] = nearestFields([name], known);
    const isLikely = meant !== undefined && similarity(name, meant) > LIKELY;
    return isLikely ? `${quoteValue(name)} (did you mean ${quoteValue(meant)}?)` : quoteValue(name);
  });
  const valid = nearest.length === 0 ? 'The items have no fields' : `Valid: ${quoteValues(nearest)}`;
  return new OperationError(
    'VALIDATION_UNKNOWN_FIELD',
    `Unknown field(s) for operation '${operation}': ${listed.join(', ')}. ${valid}`,
    { operation, unknown_fields: shown, valid_fields: nearest.slice(0, MAX_SHOWN) },
  );
}

function presetFault(preset: string, { presets, has }: KnownFields): QueryFault {
  const expected = `one of ${quoteValues(presets)}`;
  const names = preset.split(',').map((name) => name.trim());
  const areFields = names.every((name) => {
    const path = parsePath(name);
    return path !== undefined && has(path);
  });
  const actual = quoteValue(preset);
  const hint = areFields ? `Give fields as a list: ${JSON.stringify(names)}` : 'Give fields as a list: ["id", "name"]';
  const message = `Unknown preset ${actual}. Use ${expected}, or a list of fields`;
  return { code: 'VALIDATION_INVALID_ENUM', param: 'fields', message, expected, actual, hint };
}
