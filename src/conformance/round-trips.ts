import { isJsonObject, type JsonObject } from '../base/json/json.js';
import type { DocumentedOperation } from './catalog-view.js';
import type {
  Answer,
  ErrorCase,
  FieldSelectionCase,
  PreservationCase,
  RoundTripCase,
  RoundTripKind,
} from './evidence.js';
import type { Probe } from './probe.js';

/** Writes, one read, and what the read has to show: of what was written, or of what an update has left alone. */
export interface RoundTripPlan {
  readonly name: string;
  readonly kind: RoundTripKind;
  readonly write: readonly PlannedCall[];
  readonly read: PlannedCall;
  /** Values by their path in the read's answer: `data.entities.0.name`. */
  readonly expected: Readonly<Record<string, unknown>>;
  /** A field of the read's items: the read is sent again with this one selected. */
  readonly select?: string;
  /** What takes the written data away again. */
  readonly cleanUp?: readonly PlannedCall[];
}

/** One call of a plan. */
interface PlannedCall {
  readonly operation: string;
  readonly params: JsonObject;
}

/** The only folder and file that are written; the filesystem server has no operation that deletes them again. */
const FOLDER = 'mcp-aql-conformance';
const FILE = `${FOLDER}/text.txt`;

/** Letters beyond ASCII show whether texts survive unchanged. */
const TEXT = 'Ä, € and 漢';

/** The plans over the tools of the shipped configuration's servers, for every server that has them, whatever it is called. */
export function shippedPlans(operations: readonly DocumentedOperation[], id: string): readonly RoundTripPlan[] {
  const upstreams = [...new Set(operations.map(({ upstream }) => upstream))];
  return upstreams.flatMap((upstream) => {
    const nameOf: NameOf = (tool) =>
      operations.find((known) => known.upstream === upstream && known.upstreamTool === tool)?.name;
    return [...planMemory(nameOf, id), ...planFiles(nameOf)];
  });
}

type NameOf = (tool: string) => string | undefined;

function planMemory(nameOf: NameOf, id: string): readonly RoundTripPlan[] {
  const create = nameOf('create_entities');
  const observe = nameOf('add_observations');
  const search = nameOf('search_nodes');
  const remove = nameOf('delete_entities');
  if (create === undefined || observe === undefined || search === undefined || remove === undefined) return [];
  const entity = { name: id, entityType: 'conformance', observations: [TEXT] };
  const written = { operation: create, params: { entities: [entity] } };
  const more = { operation: observe, params: { observations: [{ entityName: id, contents: ['a second one'] }] } };
  const read = { operation: search, params: { query: id } };
  const cleanUp = [{ operation: remove, params: { entity_names: [id] } }];
  const expected = {
    'data.entities.0.name': id,
    'data.entities.0.entityType': 'conformance',
    'data.entities.0.observations.0': TEXT,
  };
  return [
    { name: 'an entity is read as it was created', kind: 'round_trip', write: [written], read, expected, cleanUp },
    {
      name: 'a new observation leaves the entity as it was',
      kind: 'update_preservation',
      write: [written, more],
      read,
      expected,
      select: 'name',
      cleanUp,
    },
  ];
}

function planFiles(nameOf: NameOf): readonly RoundTripPlan[] {
  const write = nameOf('write_file');
  const edit = nameOf('edit_file');
  const show = nameOf('read_text_file');
  const make = nameOf('create_directory');
  const list = nameOf('directory_tree');
  if (write === undefined || edit === undefined || show === undefined || make === undefined || list === undefined)
    return [];
  const folder = { operation: make, params: { path: FOLDER } };
  const text = (middle: string): string => `first\n\n  ${middle}\n${TEXT}\n`;
  const written = { operation: write, params: { path: FILE, input: { content: text('old') } } };
  const edited = {
    operation: edit,
    params: { path: FILE, input: { edits: [{ oldText: '  old', newText: '  new' }] } },
  };
  const read = { operation: show, params: { path: FILE } };
  return [
    {
      name: 'a file is read as it was written',
      kind: 'round_trip',
      write: [folder, written],
      read,
      expected: { 'data.content': text('old') },
    },
    {
      name: 'a folder lists the file that was written',
      kind: 'round_trip',
      write: [folder, written],
      read: { operation: list, params: { path: FOLDER } },
      expected: { success: true },
      select: 'name',
    },
    {
      name: 'an edit leaves the other lines as they were',
      kind: 'update_preservation',
      write: [folder, written, edited],
      read,
      expected: { 'data.content': text('new') },
    },
  ];
}

/** The plans of a file that the caller names. Throws what is wrong with it. */
export function parsePlans(text: string): readonly RoundTripPlan[] {
  const plans: unknown = JSON.parse(text);
  if (!Array.isArray(plans)) throw new Error('expected a list of round trips');
  return plans.map(parsePlan);
}

function parsePlan(plan: unknown, index: number): RoundTripPlan {
  const {
    name,
    kind = 'round_trip',
    write,
    read,
    expected,
    select,
    clean_up: cleanUp = [],
  } = isJsonObject(plan) ? plan : {};
  const isKind = kind === 'round_trip' || kind === 'update_preservation';
  if (
    typeof name !== 'string' ||
    !isKind ||
    !isCalls(write) ||
    !isCall(read) ||
    !isJsonObject(expected) ||
    !isCalls(cleanUp)
  ) {
    throw new Error(
      `entry ${index}: expected {"name": "...", "kind": "round_trip" or "update_preservation", "write": [{"operation": "...", ` +
        '"params": {}}], "read": {"operation": "...", "params": {}}, "expected": {"data.path": value}, "select": "field", "clean_up": []}',
    );
  }
  return { name, kind, write, read, expected, cleanUp, ...(typeof select === 'string' && { select }) };
}

function isCall(value: unknown): value is PlannedCall {
  return isJsonObject(value) && typeof value['operation'] === 'string' && isJsonObject(value['params']);
}

function isCalls(value: unknown): value is readonly PlannedCall[] {
  return Array.isArray(value) && value.every(isCall);
}

interface RoundTripEvidence {
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
