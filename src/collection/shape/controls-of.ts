import { parameterScope } from '../../catalog/parameter-scope.js';
import type { Operation } from '../../protocol/operation.js';
import { CONTROLS, type ComputedField, type Control, OBJECT_CONTROLS } from '../collection-query.js';
import { compileComputedFields } from '../computed/compile-computed-fields.js';
import type { ControlSet, ItemField, ResultShape } from '../result-desk.js';
import { isReadable } from './find-shape.js';
import type { ShapeMemory } from './shape-memory.js';

/** Of what takes no controls: whatever writes, and the gateway's own operations. */
export const NO_CONTROLS: ControlSet = { kind: 'none', names: new Map() };

const CONTROLS_OF: Readonly<Record<ResultShape['kind'], readonly Control[]>> = {
  collection: CONTROLS,
  object: OBJECT_CONTROLS,
};

/** Whatever a READ answers with may have fields; that it has a list must be known. */
const UNKNOWN: ResultShape = { kind: 'object' };

interface Prepared {
  readonly shape: ResultShape;
  readonly fields: readonly ItemField[];
  readonly controls: ControlSet;
}

/** Says which controls an operation takes: the same object for the same operation until more is known of its answers. */
export function createControls(
  memory: Pick<ShapeMemory, 'shapeOf' | 'fieldsOf'>,
  computedOf: (operation: Operation) => readonly ComputedField[] = compileComputedFields,
): (operation: Operation) => ControlSet {
  const prepared = new WeakMap<Operation, Prepared>();
  return (operation) => {
    const shape = memory.shapeOf(operation) ?? (isReadable(operation) ? UNKNOWN : undefined);
    if (shape === undefined) return NO_CONTROLS;
    const fields = memory.fieldsOf(operation);
    const known = prepared.get(operation);
    if (known?.shape === shape && known.fields === fields) return known.controls;
    const controls = prepareControls(operation, shape, fields, computedOf(operation));
    prepared.set(operation, { shape, fields, controls });
    return controls;
  };
}

function prepareControls(
  operation: Operation,
  { kind }: ResultShape,
  fields: readonly ItemField[],
  computed: readonly ComputedField[],
): ControlSet {
  const { byName } = parameterScope(operation);
  const names = new Map(CONTROLS_OF[kind].map((control) => [control, freeName(control, byName)]));
  return {
    kind,
    names,
    ...(kind === 'collection' && fields.length > 0 && { fields }),
    ...(computed.length > 0 && { computed }),
  };
}

/** The upstream's parameter keeps its name, in either spelling; the gateway's stands behind underscores. */
function freeName(control: Control, taken: ReadonlyMap<string, unknown>): string {
  let name: string = control;
  while (taken.has(name)) name = `_${name}`;
  return name;
}
