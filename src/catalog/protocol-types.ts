import { CATEGORIES } from '../protocol/category.js';
import { ERROR_TABLE } from '../protocol/error-table.js';
import { CONTROL_TYPES } from './control-types.js';
import type { TypeDetails } from './type-info.js';

/** Types of the protocol itself (introspection document, 5.3), with what their fields need to be understood. */
export const PROTOCOL_TYPES: readonly TypeDetails[] = [
  {
    name: 'SemanticCategory',
    kind: 'enum',
    description: 'The effect that an operation can have on state',
    values: CATEGORIES,
  },
  {
    name: 'OperationInput',
    kind: 'object',
    description: 'What every request looks like',
    fields: [
      { name: 'operation', type: 'string', required: true, description: 'The name of the operation' },
      { name: 'params', type: 'object', required: false, description: "The operation's parameters by name" },
    ],
  },
  {
    name: 'OperationResult',
    kind: 'union',
    description: 'What every operation answers with',
    members: ['OperationSuccess', 'OperationFailure'],
  },
  {
    name: 'OperationSuccess',
    kind: 'object',
    description: 'The operation did what was asked',
    fields: [
      { name: 'success', type: 'boolean', required: true, enum: [true] },
      { name: 'data', type: 'ToolData', required: true, description: "The operation's result" },
      {
        name: 'warnings',
        type: 'array',
        required: false,
        description: 'What the caller should know besides',
        items: { type: 'object' },
      },
    ],
  },
  {
    name: 'OperationFailure',
    kind: 'object',
    description: 'The operation was refused or failed',
    fields: [
      { name: 'success', type: 'boolean', required: true, enum: [false] },
      { name: 'error', type: 'ErrorDetail', required: true, description: 'What was wrong and what to do' },
    ],
  },
  {
    name: 'ErrorDetail',
    kind: 'object',
    description: 'Why an operation was refused or failed',
    fields: [
      { name: 'code', type: 'ErrorCode', required: true, description: 'For programs' },
      { name: 'message', type: 'string', required: true, description: 'For readers' },
      { name: 'details', type: 'object', required: false, description: 'What the code comes with' },
    ],
  },
  {
    name: 'ErrorCode',
    kind: 'enum',
    description: 'Every code that an error can have',
    values: Object.keys(ERROR_TABLE),
  },
  {
    name: 'EndpointPermissions',
    kind: 'object',
    description: 'What calling an operation can do to state',
    fields: [
      { name: 'readOnly', type: 'boolean', required: true, description: 'It changes nothing' },
      { name: 'destructive', type: 'boolean', required: true, description: 'It can remove or overwrite' },
    ],
  },
  {
    name: 'ToolData',
    kind: 'union',
    description: "A tool's structured content, else its single JSON text parsed, else its text",
    members: ['object', 'array', 'string', 'number', 'boolean', 'null'],
  },
  ...CONTROL_TYPES,
];

export const PROTOCOL_TYPE_NAMES: ReadonlySet<string> = new Set(PROTOCOL_TYPES.map(({ name }) => name));
