import type { JsonObject } from '../base/json/json.js';

/** An answer as it came over the wire: the envelope of one call. */
export interface Answer extends JsonObject {
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: JsonObject };
}

/** A call without, or with one, parameter too many, and what it was answered with. */
export interface ParameterCase {
  readonly operation: string;
  readonly parameter: string;
  readonly response: Answer;
}

/** The published runner compares by identity, so the value is one text, number or flag of the answer. */
export interface DefaultCase extends ParameterCase {
  readonly expected_value_path: string;
  readonly expected_value: string | number | boolean | null;
}

export interface ErrorCase {
  readonly name: string;
  /** What the message has to name, so that the caller can act. */
  readonly must_mention: readonly string[];
  readonly response: Answer;
}

export type RoundTripKind = 'round_trip' | 'update_preservation';

export interface RoundTripCase {
  readonly name: string;
  readonly expected_fields: Readonly<Record<string, unknown>>;
  readonly read_response: Answer;
}

export interface PreservationCase {
  readonly name: string;
  readonly preserved_fields: Readonly<Record<string, unknown>>;
  readonly read_response: Answer;
}

/** A value that breaks a documented constraint, how introspection discloses the constraint, and the refusal. */
export interface ConstraintCase {
  readonly name: string;
  readonly operation: string;
  readonly parameter: string;
  readonly constraint: JsonObject;
  /** Whether introspection discloses the constraint. */
  readonly documented: boolean;
  readonly response: Answer;
}

/** What the published conformance runner reads: one JSON object, gathered from the wire of a running gateway. */
export interface EvidenceBundle {
  readonly implementation: string;
  readonly version: string;
  readonly spec_version: string;
  readonly expected_level: 1 | 2;
  readonly expected_exit_code: 0 | 1;
  readonly endpoint_modes: readonly string[];
  readonly capabilities: { readonly field_selection: boolean; readonly batch_operations: boolean };
  readonly introspection: {
    readonly operations_list: Answer;
    readonly types_list: Answer;
    readonly operation_details: readonly JsonObject[];
  };
  readonly accepted_parameters: Readonly<Record<string, readonly string[]>>;
  readonly parameter_tests: {
    readonly missing_required: readonly ParameterCase[];
    readonly unknown_parameter: readonly ParameterCase[];
    readonly optional_defaults: readonly DefaultCase[];
  };
  readonly error_tests: readonly ErrorCase[];
  readonly round_trip_tests: readonly RoundTripCase[];
  readonly update_preservation_tests: readonly PreservationCase[];
  readonly constraint_tests: readonly ConstraintCase[];
  readonly batch_example: Answer;
  readonly semantic_tests: readonly never[];
}

/** One endpoint mode as it was seen: its MCP tools, an introspection through it, and a call through the wrong family. */
export interface ModeObservation {
  readonly mode: 'semantic' | 'single';
  readonly tools: readonly string[];
  readonly introspection: Answer;
}

/** An operation sent through the tool of another family. */
export interface RoutingCase {
  readonly operation: string;
  /** The tool that introspection names. */
  readonly tool: string;
  readonly wrongTool: string;
  readonly response: Answer;
}

/** The same READ without and with `fields`. */
export interface FieldSelectionCase {
  readonly operation: string;
  readonly field: string;
  readonly whole: Answer;
  readonly selected: Answer;
}

/** Everything that was seen: the bundle, and what the clauses beyond the bundle's form are judged by. */
export interface Observations {
  readonly bundle: EvidenceBundle;
  readonly modes: readonly ModeObservation[];
  readonly routing: readonly RoutingCase[];
  readonly fieldSelection: readonly FieldSelectionCase[];
  /** Introspection of an operation and of a type that do not exist. */
  readonly unknownNames: { readonly operation: Answer; readonly type: Answer };
  readonly typeDetails: readonly JsonObject[];
  /** The kinds of round trip for which there was a plan, whatever became of it. */
  readonly planned: readonly RoundTripKind[];
  /** What was left out, with the reason. */
  readonly notProbed: readonly string[];
}
