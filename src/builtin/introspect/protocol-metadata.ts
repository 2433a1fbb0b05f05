import type { EndpointPlan } from '../../endpoint/endpoint-plan.js';
import type { JsonObject } from '../../protocol/json.js';
import type { PayloadLimits } from '../../protocol/limits.js';
import { CONFORMANCE_LEVEL } from './conformance-level.js';

/** The version of the specification that the gateway speaks. */
const SPECIFICATION_VERSION = '1.0.0-draft';

/** The optional parts of the protocol. A client relies on these, so each is true only where it is implemented. */
const CAPABILITIES = {
  batch: true,
  field_selection: true,
  aggregations: true,
  computed_fields: true,
  pagination: true,
  relationship_queries: false,
  warnings: true,
  confirmation: true,
  dangerous_operations: true,
} as const;

/**
 * What a client should know before it calls: the `_protocol` object without a page (introspection document, 4.1.1).
 *
 * @param hasRelations whether the operator has configured relations
 */
export function buildProtocolMetadata(
  mode: EndpointPlan['mode'],
  limits: PayloadLimits,
  hasRelations: boolean,
): JsonObject {
  return {
    version: SPECIFICATION_VERSION,
    // The published schema knows two levels; who meets none claims none.
    ...(CONFORMANCE_LEVEL !== 'none' && { conformance: CONFORMANCE_LEVEL }),
    mode,
    capabilities: { ...CAPABILITIES, relationship_queries: hasRelations },
    limits: {
      max_request_size: limits.maxRequestSize,
      max_response_size: limits.maxResponseSize,
      max_string_length: limits.maxStringLength,
      max_array_elements: limits.maxArrayElements,
      max_nesting_depth: limits.maxNestingDepth,
    },
    concurrency: 'fully-concurrent',
  };
}
