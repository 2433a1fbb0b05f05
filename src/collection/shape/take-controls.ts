import { parameterScope } from '../../catalog/parameter-scope.js';
import type { JsonObject } from '../../protocol/json.js';
import type { Operation } from '../../protocol/operation.js';
import { CONTROLS, type Control } from '../collection-query.js';
import type { ControlSet } from '../result-desk.js';

/** A call's parameters told apart. */
export interface SplitParams {
  /** What is left for the upstream: the caller's own object where no control was given. */
  readonly params: JsonObject;
  /** By canonical name, in the caller's order. */
  readonly given: ReadonlyMap<Control, unknown>;
  /**
   * Keys such as `_filter` that are not what this operation calls the control. They are left in `params`, where they would pass
   * for metadata and do nothing.
   */
  readonly strays: readonly string[];
}

const NOTHING_GIVEN: ReadonlyMap<Control, unknown> = new Map();

const NO_STRAYS: readonly string[] = [];

const CONTROL_NAMES: ReadonlySet<string> = new Set(CONTROLS);

/** Controls by the name that callers use; a set of controls lives as long as what is known of its operation. */
const controlsByName = new WeakMap<ControlSet, ReadonlyMap<string, Control>>();

/** Takes the controls out of a call's parameters, each under the one name that this operation has for it. Judges no value. */
export function splitControls(controls: ControlSet, operation: Operation, params: JsonObject): SplitParams {
  const byName = byNameOf(controls);
  const keys = Object.keys(params);
  const isControl = (key: string): boolean => byName.has(key);
  const misspelt = keys.filter((key) => key.startsWith('_') && !isControl(key) && isStray(key, operation));
  const strays = misspelt.length === 0 ? NO_STRAYS : misspelt;
  if (!keys.some(isControl)) return { params, given: NOTHING_GIVEN, strays };
  const given = new Map<Control, unknown>();
  const left: [string, unknown][] = [];
  for (const key of keys) {
    const control = byName.get(key);
    if (control === undefined) left.push([key, params[key]]);
    else given.set(control, params[key]);
  }
  // `fromEntries` defines members, so that one called `__proto__` is a member like any other.
  return { params: Object.fromEntries(left), given, strays };
}

function isStray(key: string, operation: Operation): boolean {
  return CONTROL_NAMES.has(key.replace(/^_+/, '')) && !parameterScope(operation).byName.has(key);
}

function byNameOf(controls: ControlSet): ReadonlyMap<string, Control> {
  const known = controlsByName.get(controls);
  if (known !== undefined) return known;
  const byName = new Map(Array.from(controls.names, ([control, name]) => [name, control]));
  controlsByName.set(controls, byName);
  return byName;
}
