import { isJsonObject } from '../base/json/json.js';

/** Says what does not fit about a value; nothing where all does. */
export type Shape = (value: unknown, path: string) => readonly string[];

/** The shapes of the protocol's answers, in our words, after the introspection and operations documents. */

const CATEGORY = oneOf('CREATE', 'READ', 'UPDATE', 'DELETE', 'EXECUTE');

const anything: Shape = () => [];
export const text: Shape = (value, path) => (typeof value === 'string' ? [] : [`${path}: no text`]);

const flag: Shape = (value, path) => (typeof value === 'boolean' ? [] : [`${path}: neither true nor false`]);
export const number: Shape = (value, path) => (typeof value === 'number' ? [] : [`${path}: no number`]);
const size: Shape = (value, path) => (Number.isInteger(value) && Number(value) >= 0 ? [] : [`${path}: no size`]);
const anyObject: Shape = (value, path) => (isJsonObject(value) ? [] : [`${path}: no object`]);

const CONSTRAINTS = {
  description: text,
  default: anything,
  enum: listOf(anything),
  minimum: number,
  maximum: number,
  minLength: size,
  maxLength: size,
  pattern: text,
  format: text,
  items: anyObject,
  sensitive: flag,
};

const PARAMETER = closed({ name: text, type: text, required: flag }, CONSTRAINTS);

export const name: Shape = (value, path) => (typeof value === 'string' && value !== '' ? [] : [`${path}: no name`]);

const OPERATION_INFO = { name: text, semantic_category: CATEGORY, endpoint: name, description: text };

const KIND = oneOf('enum', 'object', 'scalar', 'union');

const TYPE_INFO = closed({ name: text, kind: KIND }, { description: text });

const EXAMPLE = closed({ request: anyObject }, { description: text });

const COMPUTED_FIELD = closed(
  { name: matching(/^[a-z][a-z0-9_]*$/), type: text },
  { description: text, filterable: flag, sortable: flag },
);

const AGGREGATION = closed(
  { supported: flag },
  {
    default_mode: oneOf('summary_only', 'include_items'),
    functions: listOf(oneOf('count', 'group_by', 'sum', 'avg', 'min', 'max')),
    groupable_fields: listOf(text),
    numeric_fields: listOf(text),
  },
);

const LIFECYCLE = closed(
  { states: listOf(text) },
  { supports_cancel: flag, supports_retry: flag, progress_reporting: flag },
);

export const OPERATION_DETAILS = closed(
  {
    ...OPERATION_INFO,
    mcpTool: text,
    permissions: closed({ readOnly: flag, destructive: flag }),
    parameters: listOf(PARAMETER),
    returns: TYPE_INFO,
  },
  {
    examples: listOf(EXAMPLE),
    computed_fields: listOf(COMPUTED_FIELD),
    aggregation_support: AGGREGATION,
    relationship_capabilities: open({ supported: flag }),
    lifecycle: LIFECYCLE,
  },
);

const OBJECT_TYPE = closed({ name: text, kind: oneOf('object'), fields: listOf(PARAMETER) }, { description: text });
const ENUM_TYPE = closed({ name: text, kind: oneOf('enum'), values: listOf(text) }, { description: text });
const UNION_TYPE = closed({ name: text, kind: oneOf('union'), members: listOf(text) }, { description: text });
const SCALAR_TYPE = open({ name: text, kind: oneOf('scalar') }, { description: text });

const TYPES_BY_KIND: Readonly<Record<string, Shape>> = {
  object: OBJECT_TYPE,
  enum: ENUM_TYPE,
  union: UNION_TYPE,
  scalar: SCALAR_TYPE,
};

export const TYPE_DETAILS: Shape = (value, path) => {
  const kindFaults = open({ kind: KIND })(value, path);
  if (kindFaults.length > 0) return kindFaults;
  const { kind } = value as { readonly kind: string };
  return TYPES_BY_KIND[kind]?.(value, path) ?? [];
};

export const OPERATIONS_DATA = closed({
  _protocol: open({ version: text }),
  operations: listOf(closed(OPERATION_INFO)),
});

export const TYPES_DATA = closed({ types: listOf(TYPE_INFO) });

const CODE = matching(/^[A-Z][A-Z0-9_]*$/);

const WARNING = closed({ code: CODE, message: text }, { details: anyObject, severity: oneOf('low', 'medium', 'high') });

const SUCCESS = closed(
  { success: oneOf(true), data: anything },
  { warnings: listOf(WARNING), _meta: anyObject, results: anything, summary: anything },
);

export const FAILURE = open({
  success: oneOf(false),
  error: closed({ code: CODE, message: name }, { details: anyObject }),
});

/** The envelope of any answer: success with data, or failure with an error. */
export const ENVELOPE: Shape = (value, path) => {
  const faults = open({ success: flag })(value, path);
  if (faults.length > 0) return faults;
  const { success } = value as { readonly success: boolean };
  return (success ? SUCCESS : FAILURE)(value, path);
};

export const BATCH = open({
  success: oneOf(true),
  results: listOf(open({ index: size, operation: text, result: ENVELOPE })),
  summary: open({ total: size, succeeded: size, failed: size }),
});

function matching(pattern: RegExp): Shape {
  return (value, path) =>
    typeof value === 'string' && pattern.test(value) ? [] : [`${path}: not as ${pattern.source}`];
}

export function oneOf(...allowed: readonly unknown[]): Shape {
  return (value, path) => (allowed.includes(value) ? [] : [`${path}: none of ${allowed.join(', ')}`]);
}

function listOf(item: Shape): Shape {
  return (value, path) =>
    Array.isArray(value) ? value.flatMap((each, index) => item(each, `${path}[${index}]`)) : [`${path}: no list`];
}

type Members = Readonly<Record<string, Shape>>;

/** An object of just these members. */
export function closed(required: Members, optional: Members = {}): Shape {
  const known: Members = { ...required, ...optional };
  return (value, path) => {
    if (!isJsonObject(value)) return [`${path}: no object`];
    const extra = Object.keys(value).filter((key) => !Object.hasOwn(known, key));
    return [
      ...extra.map((key) => `${path}.${key}: not in the specification`),
      ...membersOf(value, required, optional, path),
    ];
  };
}

/** An object of these members, and any others. */
export function open(required: Members, optional: Members = {}): Shape {
  return (value, path) => (isJsonObject(value) ? membersOf(value, required, optional, path) : [`${path}: no object`]);
}

function membersOf(
  value: Readonly<Record<string, unknown>>,
  required: Members,
  optional: Members,
  path: string,
): readonly string[] {
  const needed = Object.entries(required).flatMap(([key, shape]) =>
    Object.hasOwn(value, key) ? shape(value[key], `${path}.${key}`) : [`${path}.${key}: absent`],
  );
  const given = Object.entries(optional).flatMap(([key, shape]) =>
    Object.hasOwn(value, key) ? shape(value[key], `${path}.${key}`) : [],
  );
  return [...needed, ...given];
}
