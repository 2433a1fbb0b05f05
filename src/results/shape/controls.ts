import { parameterScope } from '../../catalog/arguments/parameter-scope.js';
import type { JsonObject } from '../../protocol/json.js';
import type { Operation } from '../../protocol/operation.js';
import { compileComputedFields } from '../computed-fields.js';
import { CONTROLS, type ComputedField, type Control, type ControlSet } from '../result-types.js';
import { declaredShape, describedFields, isReadable } from './declared-shape.js';

/** For operations that take no controls: those that write, and the gateway's own. */
const NO_CONTROLS: ControlSet = { kind: 'none', names: new Map() };

/**
 * Says which controls an operation takes: the same object for the same operation. Every READ of an upstream takes all of them,
 * because whether there is a list is seen in the answer; `collection` only where it is not declared where the list is.
 */
export function createControls(
  computedOf: (operation: Operation) => readonly ComputedField[] = compileComputedFields,
): (operation: Operation) => ControlSet {
  const prepared = new WeakMap<Operation, ControlSet>();
  return (operation) => {
    if (!isReadable(operation)) return NO_CONTROLS;
    const known = prepared.get(operation);
    if (known !== undefined) return known;
    const controls = prepareControls(operation, computedOf(operation));
    prepared.set(operation, controls);
    return controls;
  };
}

function prepareControls(operation: Operation, computed: readonly ComputedField[]): ControlSet {
  const { byName } = parameterScope(operation);
  const shape = declaredShape(operation);
  const path = shape?.kind === 'collection' ? shape.path : null;
  const fields = path === null ? [] : describedFields(operation, path);
  const taken = path === null ? CONTROLS : CONTROLS.filter((control) => control !== 'collection');
  return {
    kind: shape?.kind ?? 'object',
    names: new Map(taken.map((control) => [control, freeName(control, byName)])),
    ...(fields.length > 0 && { fields }),
    ...(computed.length > 0 && { computed }),
  };
}

/** The upstream's parameter keeps its name, in either spelling; the gateway's control gets underscores before its name. */
function freeName(control: Control, taken: ReadonlyMap<string, unknown>): string {
  let name: string = control;
  while (taken.has(name)) name = `_${name}`;
  return name;
}

/** A call's parameters, split. */
interface SplitParams {
  /** The parameters for the upstream: the caller's own object where no control was given. */
  readonly params: JsonObject;
  /** By canonical name, in the caller's order. */
  readonly given: ReadonlyMap<Control, unknown>;
  /**
   * Keys such as `_filter` that are not what this operation calls the control. They are left in `params`, where they would pass
   * for metadata and do nothing.
   */
  readonly unknownControls: readonly string[];
}

const NOTHING_GIVEN: ReadonlyMap<Control, unknown> = new Map();

const NO_UNKNOWN_CONTROLS: readonly string[] = [];

const CONTROL_NAMES: ReadonlySet<string> = new Set(CONTROLS);

/** Controls by the name that callers use; a set of controls lives as long as its operation. */
const controlsByName = new WeakMap<ControlSet, ReadonlyMap<string, Control>>();

/** Takes the controls out of a call's parameters, each under the one name that this operation has for it. Checks no values. */
export function splitControls(controls: ControlSet, operation: Operation, params: JsonObject): SplitParams {
  const byName = byNameOf(controls);
  const keys = Object.keys(params);
  const isControl = (key: string): boolean => byName.has(key);
  const misspelt = keys.filter((key) => key.startsWith('_') && !isControl(key) && isUnknownControl(key, operation));
  const unknownControls = misspelt.length === 0 ? NO_UNKNOWN_CONTROLS : misspelt;
  if (!keys.some(isControl)) return { params, given: NOTHING_GIVEN, unknownControls };
  const given = new Map<Control, unknown>();
  const left: [string, unknown][] = [];
  for (const key of keys) {
    const control = byName.get(key);
    if (control === undefined) left.push([key, params[key]]);
    else given.set(control, params[key]);
  }
  // `fromEntries` defines members, so that one called `__proto__` is a member like any other.
  return { params: Object.fromEntries(left), given, unknownControls };
}

function isUnknownControl(key: string, operation: Operation): boolean {
  return CONTROL_NAMES.has(key.replace(/^_+/, '')) && !parameterScope(operation).byName.has(key);
}

function byNameOf(controls: ControlSet): ReadonlyMap<string, Control> {
  const known = controlsByName.get(controls);
  if (known !== undefined) return known;
  const byName = new Map(Array.from(controls.names, ([control, name]) => [name, control]));
  controlsByName.set(controls, byName);
  return byName;
}
