import type { DocumentedOperation } from './catalog-view.js';
import type { Answer, ErrorCase, FieldSelectionCase, PreservationCase, RoundTripCase } from './evidence.js';
import type { Probe } from './probe.js';
import type { PlannedCall, RoundTripPlan } from './round-trip-plans.js';

export interface RoundTripEvidence {
  readonly round_trip_tests: readonly RoundTripCase[];
  readonly update_preservation_tests: readonly PreservationCase[];
  readonly fieldSelection: readonly FieldSelectionCase[];
  /** Confirmations that were asked for on the way. */
  readonly confirmations: readonly ErrorCase[];
  readonly notProbed: readonly string[];
}

/** Carries the plans out, one after the other. A plan whose writes are refused gives no case; what refused it is said. */
export async function gatherRoundTrips(
  probe: Probe,
  operations: readonly DocumentedOperation[],
  plans: readonly RoundTripPlan[],
): Promise<RoundTripEvidence> {
  const evidence = {
    round_trip_tests: [] as RoundTripCase[],
    update_preservation_tests: [] as PreservationCase[],
    fieldSelection: [] as FieldSelectionCase[],
    confirmations: [] as ErrorCase[],
    notProbed: [] as string[],
  };
  const runner = new PlanRunner(probe, operations, evidence.confirmations);
  for (const { name, kind, write, read, expected, select, cleanUp = [] } of plans) {
    const refused = await runner.runAll(write);
    if (refused !== undefined) evidence.notProbed.push(`${name}: ${refused}`);
    else {
      const response = await runner.run(read);
      if (kind === 'round_trip') {
        evidence.round_trip_tests.push({ name, expected_fields: expected, read_response: response });
      } else {
        evidence.update_preservation_tests.push({ name, preserved_fields: expected, read_response: response });
      }
      if (select !== undefined) {
        const selected = await runner.run({ ...read, params: { ...read.params, fields: [select] } });
        evidence.fieldSelection.push({ operation: read.operation, field: select, whole: response, selected });
      }
    }
    const left = await runner.runAll(cleanUp);
    if (left !== undefined) evidence.notProbed.push(`${name}: what was written is still there: ${left}`);
  }
  return evidence;
}

class PlanRunner {
  readonly #probe: Probe;
  readonly #operations: readonly DocumentedOperation[];
  readonly #confirmations: ErrorCase[];

  constructor(probe: Probe, operations: readonly DocumentedOperation[], confirmations: ErrorCase[]) {
    this.#probe = probe;
    this.#operations = operations;
    this.#confirmations = confirmations;
  }

  /** Runs calls until one is refused; resolves with what that one was told. */
  async runAll(calls: readonly PlannedCall[]): Promise<string | undefined> {
    for (const call of calls) {
      const answer = await this.run(call);
      if (!answer.success) return `'${call.operation}' was refused: ${answer.error?.message ?? 'without a message'}`;
    }
    return undefined;
  }

  /** Runs one call, and confirms it where a token is asked for: who starts the command agrees to the plans. */
  async run({ operation, params }: PlannedCall): Promise<Answer> {
    const tool = this.#operations.find(({ name }) => name === operation)?.tool ?? this.#probe.tools[0] ?? '';
    const answer = await this.#probe.send(tool, { operation, params });
    const token = answer.error?.details?.['confirmation_token'];
    if (typeof token !== 'string') return answer;
    this.#confirmations.push({
      name: `${operation} asks for confirmation`,
      must_mention: [operation, 'confirmation'],
      response: answer,
    });
    return this.#probe.send(tool, { operation, params: { ...params, _confirmation: token } });
  }
}
