import { setMember } from '../../catalog/schema/own-member.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { ComputedField, FieldPath, FieldSelection } from '../collection-query.js';
import { compilePath, MAX_LIST_DEPTH, type PathStep } from './field-path.js';
import { COMPUTED, type FieldSource, findComputed } from './field-reader.js';
import { presetFields } from './preset-fields.js';

/** What a selection may draw on. */
export interface SelectionSource extends FieldSource {
  /** The operator's presets by name; one named like a standard preset is used in its place. */
  readonly presets: ReadonlyMap<string, readonly FieldPath[]>;
}

/** An item as it is sent. What is no object or list has no fields and stays as it is. */
export type Projection = (item: unknown) => unknown;

const WHOLE = Symbol('whole value');
const NOTHING = Symbol('nothing that was asked for');

/**
 * What each item is cut down to: what was asked for of it, as it stands there, in its own order. What an item does not have
 * is left out (companion document "field selection", 4.3).
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
  const derived = Object.fromEntries(fields.map(({ name, compute }) => [name, compute(item, now)]));
  return { ...cut, [COMPUTED]: { ...own, ...derived } };
}

function cutItem(item: unknown, steps: readonly PathStep[]): unknown {
  if (typeof item !== 'object' || item === null) return item;
  const picked = pick(item, steps, 0);
  if (picked !== NOTHING) return picked;
  return Array.isArray(item) ? [] : {};
}

/** Of a list, what each element has; an element that has nothing of it is left out. */
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
