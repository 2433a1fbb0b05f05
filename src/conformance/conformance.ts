import { type CatalogView, readCatalog } from './catalog-view.js';
import { gatherErrors, gatherRouting } from './error-evidence.js';
import type { EvidenceBundle, ModeObservation, Observations } from './evidence.js';
import { gatherBatch, gatherFieldSelection, isSelection, observeModes } from './feature-evidence.js';
import { finishBundle, type Judgement, judge } from './judge.js';
import { gatherParameterEvidence } from './parameter-evidence.js';
import { connectProbe, type Probe } from './probe.js';
import { gatherRoundTrips, type RoundTripPlan, shippedPlans } from './round-trips.js';

export { reaches } from './judge.js';
export { renderReport } from './report.js';
export { parsePlans, type RoundTripPlan } from './round-trips.js';

/** A gateway that can be connected to while its conformance is measured. */
export interface Subject {
  readonly url: string;
  close(): Promise<void>;
}

interface ConformanceOptions {
  readonly level: 1 | 2;
  readonly token?: string | undefined;
  readonly plans?: readonly RoundTripPlan[];
}

/**
 * Measures a gateway over MCP. The first subject is probed in full, each further one for its endpoint mode; a subject is opened
 * when the one before it is closed, so that they may share servers and files.
 */
export async function measureConformance(
  subjects: readonly (() => Promise<Subject>)[],
  { level, token, plans = [] }: ConformanceOptions,
): Promise<{ readonly judgement: Judgement; readonly bundle: EvidenceBundle }> {
  const id = `conformance_${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
  let seen: Observations | undefined;
  for (const open of subjects) {
    const subject = await open();
    try {
      const probe = await connectProbe(subject.url, token);
      try {
        seen = seen === undefined ? await gatherEvidence(probe, { level, plans, id }) : await addMode(seen, probe);
      } finally {
        await probe.close();
      }
    } finally {
      await subject.close();
    }
  }
  if (seen === undefined) throw new Error('There is no gateway to measure');
  const judgement = judge(seen);
  return { judgement, bundle: finishBundle(seen, judgement) };
}

/** The version of the specification that the clauses are taken from. */
const SPECIFICATION_VERSION = '1.0.0-draft';

/** What the evidence is gathered for. */
interface GatherOptions {
  readonly level: 1 | 2;
  /** Round trips that the caller names, beside those over the shipped servers. */
  readonly plans: readonly RoundTripPlan[];
  /** Names what is written, so that two runs never meet. */
  readonly id: string;
}

/** Gathers the evidence from one running gateway. Only refused calls, READs and the planned round trips are sent. */
async function gatherEvidence(probe: Probe, { level, plans, id }: GatherOptions): Promise<Observations> {
  const catalog = await readCatalog(probe);
  const { operations } = catalog;
  const parameters = await gatherParameterEvidence(probe, operations);
  const errors = await gatherErrors(probe, operations);
  const routing = await gatherRouting(probe, operations);
  const allPlans = [...shippedPlans(operations, id), ...plans];
  const trips = await gatherRoundTrips(probe, operations, allPlans);
  const fieldSelection = [...trips.fieldSelection, ...(await gatherFieldSelection(probe, operations))];
  const modes = await observeModes(probe, operations);
  const introspectTool = operations.find(({ name }) => name === 'introspect')?.tool ?? probe.tools[0] ?? '';
  const batch = await gatherBatch(probe, introspectTool);
  const bundle: EvidenceBundle = {
    implementation: probe.server.name,
    version: probe.server.version,
    spec_version: SPECIFICATION_VERSION,
    expected_level: level,
    expected_exit_code: 0,
    endpoint_modes: namesOf(modes),
    capabilities: {
      field_selection: fieldSelection.some(isSelection),
      batch_operations: Array.isArray(batch['results']),
    },
    introspection: introspectionOf(catalog),
    accepted_parameters: parameters.accepted_parameters,
    parameter_tests: parameters.parameter_tests,
    error_tests: [
      ...errors,
      ...parameters.parameter_tests.missing_required.map(({ operation, parameter, response }) => ({
        name: `${operation} without ${parameter}`,
        must_mention: [parameter],
        response,
      })),
      ...routing.map(({ operation, tool, wrongTool, response }) => ({
        name: `${operation} through ${wrongTool}`,
        must_mention: [operation, tool],
        response,
      })),
      ...trips.confirmations,
    ],
    round_trip_tests: trips.round_trip_tests,
    update_preservation_tests: trips.update_preservation_tests,
    constraint_tests: parameters.constraint_tests,
    batch_example: batch,
    semantic_tests: [],
  };
  return {
    bundle,
    modes,
    routing,
    fieldSelection,
    unknownNames: {
      operation: await probe.introspect({ query: 'operations', name: 'conformance_no_operation' }),
      type: await probe.introspect({ query: 'types', name: 'ConformanceNoType' }),
    },
    typeDetails: catalog.typeDetails,
    planned: [...new Set(allPlans.map(({ kind }) => kind))],
    notProbed: [...parameters.notProbed, ...trips.notProbed],
  };
}

function introspectionOf({ operationsList, typesList, operations }: CatalogView): EvidenceBundle['introspection'] {
  return {
    operations_list: operationsList,
    types_list: typesList,
    operation_details: operations.map(({ details }) => details),
  };
}

/** The names of the modes; the published runner knows semantic mode by its older name, `crude`. */
function namesOf(modes: readonly ModeObservation[]): readonly string[] {
  return modes.flatMap(({ mode }) => (mode === 'semantic' ? ['semantic', 'crude'] : [mode]));
}

/** Adds the mode in which another connection shows the same gateway. */
async function addMode(seen: Observations, probe: Probe): Promise<Observations> {
  const { operations } = await readCatalog(probe);
  const known = new Set(seen.modes.map(({ mode }) => mode));
  const added = (await observeModes(probe, operations)).filter(({ mode }) => !known.has(mode));
  const modes = [...seen.modes, ...added];
  return { ...seen, modes, bundle: { ...seen.bundle, endpoint_modes: namesOf(modes) } };
}
