import { describe, expect, it } from 'vitest';
import type { Answer, Observations } from '../../../src/conformance/evidence.js';
import { CLAUSES, judge } from '../../../src/conformance/judge.js';

const NOTHING: Answer = { success: false };

/** A gateway of which nothing was seen. */
const UNSEEN: Observations = {
  bundle: {
    implementation: 'none',
    version: '0',
    spec_version: '1.0.0-draft',
    expected_level: 2,
    expected_exit_code: 0,
    endpoint_modes: [],
    capabilities: { field_selection: false, batch_operations: false },
    introspection: { operations_list: NOTHING, types_list: NOTHING, operation_details: [] },
    accepted_parameters: {},
    parameter_tests: { missing_required: [], unknown_parameter: [], optional_defaults: [] },
    error_tests: [],
    round_trip_tests: [],
    update_preservation_tests: [],
    constraint_tests: [],
    batch_example: NOTHING,
    semantic_tests: [],
  },
  modes: [],
  routing: [],
  fieldSelection: [],
  unknownNames: { operation: NOTHING, type: NOTHING },
  typeDetails: [],
  notProbed: [],
};

describe('judge', () => {
  it('passes no clause for which there is no case, and meets no level without evidence', () => {
    const { level, clauses } = judge(UNSEEN);
    expect(clauses).toHaveLength(CLAUSES.length);
    expect(clauses.filter(({ verdict, cases }) => cases === 0 && (verdict === 'PASS' || verdict === 'WARN'))).toEqual(
      [],
    );
    expect(clauses.filter(({ verdict, strength }) => verdict === 'SKIP' && strength === 'MUST')).toMatchObject([
      { id: 'wrong-endpoints', note: expect.stringContaining('does not apply') },
    ]);
    expect(level).toBe('none');
  });
});
