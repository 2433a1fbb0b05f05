import { compileExpression } from '../../base/expression/compile.js';
import type { JsonObject } from '../../base/json/json.js';
import { isSpeltLike } from '../../base/lib/names.js';
import type { Operation } from '../../base/protocol/operation.js';
import { CONTROLS, type ComputedField, type Control, type ControlSet, type FieldPath } from '../query/result-types.js';
import { declaredShape, declaresField, describedFields, holdsNoList, isReadable } from './declared-shape.js';

/** The controls of an operation, and each by the name that callers use. */
export interface PreparedControls extends ControlSet {
  readonly byName: ReadonlyMap<string, Control>;
  /** Whether the output schema declares a field of the items; undefined where it says nothing. */
  readonly declares: (path: FieldPath) => boolean | undefined;
}

export interface UnknownControl {
  readonly key: string;
  readonly meant?: string | undefined;
}

/** For operations that take no controls: those that write, and the gateway's own. */
const NO_CONTROLS: PreparedControls = {
  kind: 'none',
  names: new Map(),
  byName: new Map(),
  declares: () => undefined,
};

/**
 * Says which controls an operation takes. A READ of an upstream takes all of them, because whether there is a list is seen in the
 * answer; `collection` only where it is not declared where the list is, and those of lists not where there certainly is none.
 */
export function prepareControls(
  operation: Operation,
  computed: readonly ComputedField[] = compileComputedFields(operation),
): PreparedControls {
  if (!isReadable(operation) || operation.passthrough !== undefined) return NO_CONTROLS;
  const shape = declaredShape(operation);
  const path = shape?.kind === 'collection' ? shape.path : null;
  const fields = path === null ? [] : describedFields(operation, path);
  const taken = CONTROLS.filter(
    (control) => (path === null || control !== 'collection') && mayApply(control, operation),
  );
  const named = taken.map((control) => [control, freeName(control, operation)] as const);
  return {
    kind: shape?.kind ?? 'object',
    names: new Map(named),
    byName: new Map(named.map(([control, name]) => [name, control])),
    declares: (field) => declaresField(operation, shape, field),
    ...(fields.length > 0 && { fields }),
    ...(computed.length > 0 && { computed }),
  };
}

/** Fields are chosen of whatever there is. */
function mayApply(control: Control, operation: Operation): boolean {
  return control === 'fields' || control === 'preset' || !holdsNoList(operation);
}

/**
 * The upstream's parameter keeps its name, in either spelling; the gateway's becomes `result_<name>`. Where the upstream may take
 * parameters that it does not name, every plain name may be one. An underscore in front is for metadata (specification, sections 4.3
 * and 4.6.1).
 */
function freeName(control: Control, { scope, strict }: Operation): string {
  let name: string = strict ? control : `result_${control}`;
  while (scope.byName.has(name)) name = `result_${name}`;
  return name;
}

/** A call's parameters, split. */
interface SplitParams {
  /** The parameters for the upstream: the caller's own object where no control was given. */
  readonly params: JsonObject;
  /** By canonical name, in the caller's order. */
  readonly given: ReadonlyMap<Control, unknown>;
  /**
   * Keys such as `_filter` or `_querry`, with the name of the control that is meant where the operation has it. They are left in
   * `params`, where they would pass for metadata and do nothing.
   */
  readonly unknownControls: readonly UnknownControl[];
}

const NOTHING_GIVEN: ReadonlyMap<Control, unknown> = new Map();

const NO_UNKNOWN_CONTROLS: readonly UnknownControl[] = [];

/** Takes the controls out of a call's parameters, each under the one name that this operation has for it. Checks no values. */
export function splitControls(controls: PreparedControls, operation: Operation, params: JsonObject): SplitParams {
  const { byName } = controls;
  const keys = Object.keys(params);
  const isControl = (key: string): boolean => byName.has(key);
  const misspelt = keys.filter((key) => key.startsWith('_') && !isControl(key));
  const unknownControls =
    misspelt.length === 0 ? NO_UNKNOWN_CONTROLS : misspelt.flatMap((key) => readMisspelt(key, controls, operation));
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

/** Nothing where the key is metadata or the operation's own: its rest is spelt like no control. */
function readMisspelt(key: string, { names }: ControlSet, operation: Operation): readonly UnknownControl[] {
  const rest = key.replace(/^_+/, '');
  const control = CONTROLS.find((name) => [name, names.get(name) ?? name].some((known) => isSpeltLike(rest, known)));
  if (control === undefined || operation.scope.byName.has(key)) return [];
  const meant = names.get(control);
  return [{ key, meant }];
}

/** The computed fields of an operation's items, as its curation declares them. Its controls keep them (`ResultService.controlsOf`). */
export function compileComputedFields({ computed = {} }: Operation): readonly ComputedField[] {
  return Object.entries(computed).flatMap(([name, { expression, description = expression }]) =>
    compileField(name, expression, description),
  );
}

/** Empty for an expression that does not compile; a configuration with one does not load. */
function compileField(name: string, expression: string, description: string): readonly ComputedField[] {
  const result = compileExpression(expression);
  if (!result.ok) return [];
  return [{ name, description, type: result.type, compute: result.compute }];
}
