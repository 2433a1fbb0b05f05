import type { JsonSchema } from '../protocol/json.js';

/**
 * The answer of an operation or of a batch (specification 5.1; operations document, 7.5), as the output schema of the gateway's own tools.
 * It forbids no other member: later versions may have more. `data` may be any JSON value, which the schema of an object says by leaving
 * its type out; strict clients refuse lists of types. Refusals that carry `isError` need not match, and do.
 */
export const ENVELOPE_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    success: { type: 'boolean' },
    data: { description: 'What the operation gave: any JSON value.' },
    error: {
      type: 'object',
      properties: { code: { type: 'string' }, message: { type: 'string' }, details: { type: 'object' } },
      required: ['code', 'message'],
    },
    warnings: {
      type: 'array',
      items: {
        type: 'object',
        properties: { code: { type: 'string' }, message: { type: 'string' } },
        required: ['code', 'message'],
      },
    },
    results: { type: 'array', items: { type: 'object' }, description: 'Of a batch: what each operation gave.' },
    summary: { type: 'object', description: 'Of a batch.' },
    halted_at: { type: 'object', description: 'Of a batch that stopped: the operation that needs a confirmation.' },
    pending_operations: { type: 'array', items: { type: 'object' }, description: 'Of a batch that stopped.' },
    _meta: { type: 'object' },
  },
  required: ['success'],
};
