import { unmarkedWithin } from '../../base/json/exact-numbers.js';
import { isJsonObject, type JsonObject, setMember } from '../../base/json/json.js';
import { toSnakeCase } from '../../base/lib/names.js';
import type { Operation } from '../../base/protocol/operation.js';
import {
  COMPUTED,
  compilePath,
  type FieldSource,
  findComputed,
  isScalar,
  MAX_LIST_DEPTH,
  type PathStep,
} from './fields.js';
import type { ComputedField, FieldPath, FieldSelection } from './result-types.js';

/** What a selection may use. */
export interface SelectionSource extends FieldSource {
  /** The operator's presets by name; one named like a standard preset is used in its place. */
  readonly presets: ReadonlyMap<string, readonly FieldPath[]>;
  /** The fields that items of earlier answers had. */
  readonly seen?: readonly string[];
}

/** Makes an item as it is sent. A value that is neither an object nor a list has no fields and stays unchanged. */
export type Projection = (item: unknown) => unknown;

const WHOLE = Symbol('whole value');
const NOTHING = Symbol('none of the selected fields');

/**
 * Reduces each item to the fields that were asked for, unchanged and in the item's own order. Fields that an item does not
 * have are left out (companion document "field selection", 4.3).
 *
 * @param sample the items by which the standard presets choose their fields
 */
export function createProjection(
  selection: FieldSelection,
  sample: readonly unknown[],
  { computed, now, presets }: SelectionSource,
): Projection {
  const { preset, paths } = selection;
  const presetPaths = preset === undefined ? [] : (presets.get(preset) ?? presetFields(preset, sample));
  const all = [...(presetPaths ?? []), ...paths];
  const derived = computed.filter((field) => all.some((path) => selects(path, field)));
  const own = all.filter((path) => findComputed(path, computed) === undefined);
  const steps = own.map(compilePath).filter((step) => step !== undefined);
  const cut = presetPaths === undefined ? (item: unknown) => item : (item: unknown) => cutItem(item, steps);
  return derived.length === 0 ? cut : (item) => addComputed(cut(item), item, derived, now);
}

/** `_computed` alone means all of them. */
function selects(path: FieldPath, field: ComputedField): boolean {
  return path[0] === COMPUTED && (path.length === 1 || findComputed(path, [field]) !== undefined);
}

function addComputed(cut: unknown, item: unknown, fields: readonly ComputedField[], now: number): unknown {
  if (!isJsonObject(cut)) return cut;
  const own = isJsonObject(cut[COMPUTED]) ? cut[COMPUTED] : {};
  // A number beyond a double's precision is the text of its digits: ids in links are not rounded.
  const plain = unmarkedWithin(item);
  const derived = Object.fromEntries(fields.map(({ name, compute }) => [name, compute(plain, now)]));
  return { ...cut, [COMPUTED]: { ...own, ...derived } };
}

function cutItem(item: unknown, steps: readonly PathStep[]): unknown {
  if (typeof item !== 'object' || item === null) return item;
  const picked = pick(item, steps, 0);
  if (picked !== NOTHING) return picked;
  return Array.isArray(item) ? [] : {};
}

/** Of a list, the selected part of each element; elements without any are left out. */
function pick(value: unknown, steps: readonly PathStep[], depth: number): unknown {
  if (isJsonObject(value)) return pickMembers(value, steps, depth);
  if (!Array.isArray(value) || depth === MAX_LIST_DEPTH) return NOTHING;
  const picked = value.map((element) => pick(element, steps, depth + 1)).filter((element) => element !== NOTHING);
  return picked.length === 0 && value.length > 0 ? NOTHING : picked;
}

function pickMembers(value: JsonObject, steps: readonly PathStep[], depth: number): unknown {
  const chosen = chooseMembers(value, steps);
  if (chosen.size === 0) return NOTHING;
  const picked: JsonObject = {};
  let isEmpty = true;
  for (const key of Object.keys(value)) {
    const deeper = chosen.get(key);
    if (deeper === undefined) continue;
    const member = deeper === WHOLE ? value[key] : pick(value[key], deeper, depth);
    if (member === NOTHING) continue;
    setMember(picked, key, member);
    isEmpty = false;
  }
  return isEmpty ? NOTHING : picked;
}

/** Which members the paths lead to, and what is wanted of each. */
function chooseMembers(
  value: JsonObject,
  steps: readonly PathStep[],
): ReadonlyMap<string, readonly PathStep[] | typeof WHOLE> {
  const chosen = new Map<string, PathStep[] | typeof WHOLE>();
  for (const { rest, key, next } of steps) {
    if (Object.hasOwn(value, rest)) chosen.set(rest, WHOLE);
    else if (next !== undefined && Object.hasOwn(value, key)) {
      const wanted = chosen.get(key);
      if (wanted === undefined) chosen.set(key, [next]);
      else if (wanted !== WHOLE) wanted.push(next);
    }
  }
  return chosen;
}

/** The presets that every operation has (companion document "field selection", section 3.1). */
const STANDARD_PRESETS: readonly string[] = ['minimal', 'standard', 'full'];

/** The presets of an operation: the standard ones, then the operator's. */
export function presetsOf({ presets = {} }: Pick<Operation, 'presets'>): readonly string[] {
  return [...new Set([...STANDARD_PRESETS, ...Object.keys(presets)])];
}

/** Names of identifying fields, the most specific first. */
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

/** How often a top-level field occurs, and what its values are. */
interface FieldUse {
  present: number;
  scalar: number;
  plain: number;
}

/**
 * The fields of the presets `minimal` and `standard`, chosen by the items themselves, so that every item of an answer has
 * the same fields; undefined where that would be nothing, and for `full`: the whole item.
 */
function presetFields(preset: string, items: readonly unknown[]): readonly FieldPath[] | undefined {
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

/** Lower is more specific; `widget_name` comes after every plain name, because it may be the name of something else. */
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
