import type { JsonObject } from '../../../base/json/json.js';
import type { PayloadLimits } from '../../../base/protocol/limits.js';
import type { EndpointPlan } from '../../../catalog/endpoint/endpoint-plan.js';
import type { SafetyMode } from '../../../config/safety-config.js';
import { CONFORMANCE_LEVEL } from './conformance-level.js';

/** The version of the specification that the gateway speaks. */
const SPECIFICATION_VERSION = '1.0.0-draft';

/** What the claimed level was measured over: `mcp-aql-gateway conformance` measures that of a configuration. */
const MEASURED_ON = 'the shipped servers';

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

/** What protocol metadata says of this gateway. */
interface Described extends Pick<EndpointPlan, 'mode' | 'profile'> {
  readonly limits: PayloadLimits;
  /** Whether the operator has configured relations. */
  readonly hasRelations: boolean;
  /** What the safety loop does. */
  readonly safetyMode: SafetyMode;
  /** Whether any answer gives a version that `if_match` takes. */
  readonly hasVersions: boolean;
}

/** What a client should know before it calls: `_protocol` without session and page (introspection document, 4.1.1). */
export function buildProtocolMetadata({
  mode,
  profile,
  limits,
  hasRelations,
  hasVersions,
  safetyMode,
}: Described): JsonObject {
  return {
    version: SPECIFICATION_VERSION,
    // The published schema knows two levels; who meets none claims none.
    ...(CONFORMANCE_LEVEL !== 'none' && { conformance: CONFORMANCE_LEVEL, conformance_measured_on: MEASURED_ON }),
    mode,
    profile,
    capabilities: { ...CAPABILITIES, relationship_queries: hasRelations, execution_safety_loop: safetyMode },
    limits: {
      max_request_size: limits.maxRequestSize,
      max_response_size: limits.maxResponseSize,
      max_string_length: limits.maxStringLength,
      max_array_elements: limits.maxArrayElements,
      max_nesting_depth: limits.maxNestingDepth,
    },
    concurrency: 'fully-concurrent',
    supports_etag: hasVersions,
  };
}
