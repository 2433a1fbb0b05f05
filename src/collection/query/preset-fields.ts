import { isJsonObject } from '../../protocol/json.js';
import { toSnakeCase } from '../../protocol/snake-case.js';
import type { FieldPath } from '../collection-query.js';
import { isScalar } from './field-reader.js';

/** The presets that every operation has (companion document "field selection", section 3.1). */
export const STANDARD_PRESETS = ['minimal', 'standard', 'full'] as const;

/** What identifies things, the most telling first. */
const IDENTIFYING: readonly string[] = [
  'id',
  'uuid',
  'key',
  'name',
  'title',
  'path',
  'number',
  'slug',
  'login',
  'username',
  'uri',
  'url',
  'email',
  'label',
  'subject',
  'code',
  'hash',
  'sha',
];
const MAX_IDENTIFYING = 4;

/** A longer text is content, not a description of what the item is. */
const LONG_TEXT = 500;
const LONG_LIST = 20;

/** How often a top-level field is there, and what its values are. */
interface FieldUse {
  present: number;
  scalar: number;
  plain: number;
}

/**
 * The fields of the presets `minimal` and `standard`, judged by the items themselves, so that every item of an answer has
 * the same fields; undefined where that would be nothing, and for `full`: the whole item.
 */
export function presetFields(preset: string, items: readonly unknown[]): readonly FieldPath[] | undefined {
  if (preset === 'full') return undefined;
  const uses = countUses(items);
  const minimal = preset === 'minimal' ? identifyingFields(uses) : [];
  const keys = minimal.length > 0 ? minimal : plainFields(uses);
  return keys.length === 0 ? undefined : keys.map((key) => [key]);
}

/** At most four; one field at least, where any is no object or list. */
function identifyingFields(uses: ReadonlyMap<string, FieldUse>): readonly string[] {
  const scalars = [...uses].filter(([, { present, scalar }]) => 2 * scalar > present);
  const known = scalars
    .map(([key, { present }]) => ({ key, present, rank: identifyingRank(key) }))
    .filter(({ rank }) => rank !== undefined);
  if (known.length === 0)
    return scalars
      .sort((a, b) => b[1].present - a[1].present)
      .slice(0, 1)
      .map(([key]) => key);
  return known
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || b.present - a.present)
    .slice(0, MAX_IDENTIFYING)
    .map(({ key }) => key);
}

/** Lower is more telling; `widget_name` comes after every plain name, since it may be another thing's. */
function identifyingRank(key: string): number | undefined {
  const name = toSnakeCase(key);
  const exact = IDENTIFYING.indexOf(name);
  if (exact >= 0) return exact;
  const last = IDENTIFYING.indexOf(name.slice(name.lastIndexOf('_') + 1));
  return last < 0 ? undefined : IDENTIFYING.length + last;
}

/** Scalars and short lists of scalars, without what is long, nested or both in more than half of the items that have it. */
function plainFields(uses: ReadonlyMap<string, FieldUse>): readonly string[] {
  return [...uses].filter(([, { present, plain }]) => 2 * plain >= present).map(([key]) => key);
}

function countUses(items: readonly unknown[]): ReadonlyMap<string, FieldUse> {
  const uses = new Map<string, FieldUse>();
  for (const item of items) {
    if (!isJsonObject(item)) continue;
    for (const key of Object.keys(item)) countUse(uses, key, item[key]);
  }
  return uses;
}

function countUse(uses: Map<string, FieldUse>, key: string, value: unknown): void {
  const use = uses.get(key) ?? { present: 0, scalar: 0, plain: 0 };
  uses.set(key, use);
  use.present++;
  if (isScalar(value)) use.scalar++;
  if (isPlain(value)) use.plain++;
}

function isPlain(value: unknown): boolean {
  return Array.isArray(value) ? value.length <= LONG_LIST && value.every(isShort) : isShort(value);
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= LONG_TEXT : isScalar(value);
}
