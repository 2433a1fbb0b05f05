import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/json.js';
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
  planned: [],
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

  it('skips what no operation does, and fails where one does it and no case shows it', () => {
    const clausesOf = (details: readonly JsonObject[], planned: Observations['planned'] = []) => {
      const introspection = { ...UNSEEN.bundle.introspection, operation_details: details };
      return judge({ ...UNSEEN, planned, bundle: { ...UNSEEN.bundle, introspection } }).clauses;
    };
    const verdictsOf = (...given: Parameters<typeof clausesOf>): Readonly<Record<string, string>> =>
      Object.fromEntries(clausesOf(...given).map(({ id, verdict }) => [id, verdict]));
    const read = { name: 'show', semantic_category: 'READ', parameters: [] };
    expect(verdictsOf([read])).toMatchObject({
      'round-trips': 'SKIP',
      'update-preservation': 'SKIP',
      'field-selection': 'SKIP',
      batches: 'FAIL',
    });
    const selecting = { ...read, parameters: [{ name: 'fields' }] };
    const make = { name: 'make', semantic_category: 'CREATE', parameters: [] };
    expect(verdictsOf([selecting, make], ['round_trip'])).toMatchObject({
      'round-trips': 'FAIL',
      'update-preservation': 'SKIP',
      // Its READ may answer in texts alone.
      'field-selection': 'SKIP',
    });
    expect(clausesOf([selecting, make]).find(({ id }) => id === 'round-trips')).toMatchObject({
      verdict: 'SKIP',
      note: expect.stringContaining("show what 'make' wrote"),
    });
    const change = { name: 'change', semantic_category: 'UPDATE', parameters: [] };
    expect(verdictsOf([read, change], ['round_trip', 'update_preservation'])).toMatchObject({
      'round-trips': 'FAIL',
      'update-preservation': 'FAIL',
    });
  });
});
