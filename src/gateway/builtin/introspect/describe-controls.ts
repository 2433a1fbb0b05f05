import type { JsonObject } from '../../../base/json/json.js';
import type { Operation } from '../../../base/protocol/operation.js';
import { CONTROL_SPECS, partnersOf } from '../../../results/query/parts.js';

import type { ComputedField, Control, ControlSet, ItemField } from '../../../results/query/result-types.js';
import { presetsOf } from '../../../results/query/select-fields.js';
import type { ParameterInfo } from './types/type-info.js';

/** How long lists of names may become in a description, in characters: all names but of the widest items. */
const NAMES_BUDGET = 500;

/** The published form of operation details knows no others; `introspect {query: "types"}` explains `distinct`, too. */
const PUBLISHED_FUNCTIONS = ['count', 'group_by', 'sum', 'avg', 'min', 'max'];

/** Where each control is explained, once for all operations. */
const REFERENCE = "Of the answer, as those below: introspect {query: 'types', name: 'Controls'}";

/** Where parameters pass that the schema does not name. */
const RENAMED = "The gateway's all begin with 'result_', as plain names go to the server.";

/**
 * The controls that an operation takes, as parameters beside its own. Every READ has them, so that only the first says where they are
 * explained, and others what is this operation's own: names and fields, and whose it is where it could be taken for the upstream's.
 */
export function describeControls(operation: Operation, controls: ControlSet): readonly ParameterInfo[] {
  return Array.from(controls.names, ([control, name], index) => {
    const { type, description = '' } = CONTROL_SPECS[control];
    const isSimple = SIMPLE_TYPES.has(type);
    const words = [
      operation.strict ? ownerNote(control, controls) : index === 0 ? RENAMED : '',
      index === 0 ? REFERENCE : '',
      isSimple ? '' : description,
      detailOf(control, operation, controls),
    ];
    const text = words.filter((part) => part !== '').join(' ');
    const presets = control === 'preset' ? presetsOf(operation) : [];
    return {
      name,
      type,
      required: false,
      ...(text !== '' && { description: text }),
      ...(presets.length > 0 && { enum: presets }),
    };
  });
}

/** The name says what a value of these is for. */
const SIMPLE_TYPES: ReadonlySet<string> = new Set(['string', 'integer', 'boolean']);

/** Says whose a parameter is, where the upstream has one of the same name or of a control that goes with it. */
function ownerNote(control: Control, { names }: ControlSet): string {
  const isRenamed = (other: Control): boolean => names.has(other) && names.get(other) !== other;
  if (isRenamed(control)) return `The gateway's '${control}', on the answer.`;
  return partnersOf(control).some(isRenamed) ? "The gateway's." : '';
}

/** What `OperationDetails` says of controls beside its parameters. */
export function describeQueryLanguage({ kind, fields = [], computed = [] }: ControlSet): JsonObject {
  const values = [...fields, ...computed.map(({ name, type }) => ({ name: `_computed.${name}`, type }))];
  const groupable = values.filter(({ type }) => type !== 'object' && type !== 'array');
  const numeric = values.filter(({ type }) => type === 'number' || type === 'integer');
  return {
    ...(computed.length > 0 && { computed_fields: computed.map(describeComputed) }),
    ...(kind !== 'none' && {
      aggregation_support: {
        supported: true,
        default_mode: 'summary_only',
        functions: PUBLISHED_FUNCTIONS,
        // Without an output schema the fields are not known before the answer: then nothing is said of them.
        ...(fields.length > 0 && { groupable_fields: namesIn(groupable), numeric_fields: namesIn(numeric) }),
      },
    }),
  };
}

function namesIn(fields: readonly ItemField[]): readonly string[] {
  return fields.map(({ name }) => name);
}

function describeComputed({ name, type, description }: ComputedField): JsonObject {
  return { name, type, description, filterable: true, sortable: true };
}

function detailOf(control: Control, operation: Operation, { fields = [], computed = [] }: ControlSet): string {
  if (control === 'filter' && fields.length > 0) return `Fields: ${listFitting(namesIn(fields))}`;
  if (control === 'sort' && fields.length > 0) return 'Fields as in filter';
  if (control !== 'fields') return '';
  const derived = computed.map(({ name }) => `_computed.${name}`);
  return [...presetsOf(operation), `or a list: ["a", "b.c"${derived.map((name) => `, "${name}"`).join('')}]`].join(
    ', ',
  );
}

/** As many names as fit, and `…` where there are more. */
function listFitting(names: readonly string[]): string {
  let space = NAMES_BUDGET;
  const tooMuch = names.findIndex((name) => {
    space -= name.length + 2;
    return space < 0;
  });
  return tooMuch < 0 ? names.join(', ') : [...names.slice(0, Math.max(1, tooMuch)), '…'].join(', ');
}

/**
 * Controls for an example call. Without known fields it names none: the answer to a field that no item has says nothing.
 */
export function exampleControls({ names, fields = [] }: ControlSet): JsonObject {
  const [first, second = first] = fields;
  const text = fields.find(({ type }) => type === 'string');
  const values: Partial<Record<Control, unknown>> =
    first === undefined
      ? { query: 'example', fields: 'minimal', first: 10 }
      : {
          ...searchExample(text),
          sort: { field: first.name, order: 'desc' },
          fields: uniqueNames(first, second),
          first: 10,
        };
  return Object.fromEntries(
    Object.entries(values).map(([control, value]) => [names.get(control as Control) ?? control, value]),
  );
}

function searchExample(text: ItemField | undefined): JsonObject {
  return text === undefined ? { query: 'example' } : { filter: { [text.name]: { contains: 'example' } } };
}

function uniqueNames(...fields: readonly (ItemField | undefined)[]): readonly string[] {
  return [...new Set(fields.flatMap((field) => field?.name ?? []))];
}
