import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { JsonObject } from '../../../../../src/base/json/json.js';
import type { Observation } from '../../../../../src/base/observe/observation.js';
import type { RawCall } from '../../../../../src/base/protocol/call.js';
import { Cancellation } from '../../../../../src/base/protocol/cancellation.js';
import type { ErrorCode } from '../../../../../src/base/protocol/error-table.js';
import { OperationError } from '../../../../../src/base/protocol/operation-error.js';
import type { Reply, Warning } from '../../../../../src/base/protocol/result.js';
import { buildEndpointPlan } from '../../../../../src/catalog/endpoint/endpoint-plan.js';
import type { ForeseeingPolicy } from '../../../../../src/gateway/pipeline/batch/ask-ahead.js';
import { type BatchDeps, createBatchRunner } from '../../../../../src/gateway/pipeline/batch/batch.js';
import { readRequest } from '../../../../../src/gateway/pipeline/decode.js';
import type { Snapshot } from '../../../../../src/gateway/pipeline/snapshot.js';
import { NO_OPERATIONS } from '../../../../support/no-operations.js';
import { FAKE_CRUDE, fakeCatalog, fakeOperation } from '../../../catalog/endpoint/fake-catalog.js';

const SCHEMA = new URL('../../../../../../shared/spec/schemas/batch-operation.schema.json', import.meta.url);

export const schemaIsHere = existsSync(SCHEMA);

export const LIMITS = {
  maxRequestSize: 1_048_576,
  maxResponseSize: 10_485_760,
  maxStringLength: 1_048_576,
  maxArrayElements: 10_000,
  maxNestingDepth: 32,
};

const OPERATIONS = [
  fakeOperation('get_item'),
  fakeOperation('list_items'),
  fakeOperation('get_page', { required: ['index'] }),
  fakeOperation('create_item', { category: 'CREATE' }),
  fakeOperation('update_user', { category: 'UPDATE' }),
  fakeOperation('delete_user', { category: 'DELETE' }),
  fakeOperation('send_notification', { category: 'EXECUTE' }),
];

/** An item of a batch as the pipeline receives it. */
export interface SentItem {
  readonly operation: string;
  readonly params: JsonObject;
  readonly raw: RawCall;
}

interface ItemResult {
  readonly index: number;
  readonly operation: string;
  readonly result: {
    readonly success: boolean;
    readonly data?: unknown;
    readonly error?: { readonly code: string; readonly message: string; readonly details?: JsonObject };
  };
  readonly status?: string;
}

export interface BatchAnswer {
  readonly success: boolean;
  readonly data: null;
  readonly results: readonly ItemResult[];
  readonly halted_at?: ItemResult;
  readonly pending_operations?: readonly JsonObject[];
  readonly summary: JsonObject;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface Bench {
  /** The calls to the pipeline, in the order in which they began. */
  readonly sent: readonly SentItem[];
  readonly observations: readonly Observation[];
  /** Runs a batch, checks its answer against the published schema and parses it. */
  run(operations: readonly unknown[], raw?: Partial<RawCall>): Promise<BatchAnswer>;
  /** The same without parsing the answer. */
  reply(operations: readonly unknown[], raw?: Partial<RawCall>): Promise<Reply>;
}

export interface BenchOptions extends Partial<Omit<BatchDeps, 'calls'>> {
  /** The answer of the pipeline; by default an item's `params`. */
  readonly answer?: (item: SentItem) => Reply | Promise<Reply>;
  readonly mode?: 'single' | 'semantic';
}

export function openBench({
  answer = ({ params }) => succeed(params),
  mode = 'single',
  ...deps
}: BenchOptions = {}): Bench {
  const snapshot = takeSnapshot(mode);
  const sent: SentItem[] = [];
  const observations: Observation[] = [];
  const runner = createBatchRunner({
    maxOperations: 100,
    onConfirmation: 'halt',
    answerTokens: 0,
    limits: LIMITS,
    observe: (observation) => observations.push(observation),
    policy: ASKS_NOTHING_AHEAD,
    ...deps,
    calls: {
      judge: async ({ caller, cancellation }, { request }) => {
        const { operation = '', params = {} } = request as Partial<SentItem>;
        const found = snapshot.catalog.find(operation);
        if (found === undefined) throw new OperationError('NOT_FOUND_OPERATION', 'There is none');
        return { operation: found, arguments: params, params, caller, cancellation };
      },
      send: async (outer, { request, ...call }) => {
        const { operation, params } = request as SentItem;
        const item = { operation, params, raw: { ...outer, ...call, arguments: request } };
        sent.push(item);
        return await answer(item);
      },
    },
  });
  const reply: Bench['reply'] = (operations, changes = {}) => {
    const raw: RawCall = {
      tool: 'mcp_aql',
      arguments: { operations },
      caller: { sessionId: 'session', clientName: 'test', transport: 'cli' },
      cancellation: new Cancellation(),
      ...changes,
    };
    return runner({ operations, ...readRequest(raw, snapshot.plan), kind: 'batch' }, snapshot);
  };
  const run: Bench['run'] = async (operations, raw) => {
    const answer = JSON.parse((await reply(operations, raw)).text) as BatchAnswer;
    expectPublishedShape(answer);
    return answer;
  };
  return { sent, observations, run, reply };
}

const ASKS_NOTHING_AHEAD: ForeseeingPolicy = {
  staticDecision: () => ({ effect: 'allow', requires: 'token', conditional: false }),
  confirmerOf: () => undefined,
  askAhead: async () => undefined,
};

function takeSnapshot(mode: 'single' | 'semantic'): Snapshot {
  const catalog = fakeCatalog(OPERATIONS);
  const plan = buildEndpointPlan(catalog, { mode, toolPrefix: 'mcp_aql_', profile: FAKE_CRUDE, passthrough: false });
  return { ...NO_OPERATIONS, catalog, plan };
}

const isPublishedShape = schemaIsHere
  ? new Ajv2020({ strict: false, allErrors: true }).compile(JSON.parse(readFileSync(SCHEMA, 'utf8')) as object)
  : undefined;

export function expectPublishedShape(answer: unknown): void {
  if (isPublishedShape === undefined) return;
  expect(isPublishedShape(answer), JSON.stringify({ answer, errors: isPublishedShape.errors })).toBe(true);
}

export function succeed(data: unknown, warnings: readonly Warning[] = []): Reply {
  const envelope = { success: true, data, ...(warnings.length === 0 ? {} : { warnings }) };
  return { text: JSON.stringify(envelope), blocks: [], isError: false, code: 'OK' };
}

export function fail(code: string, details?: JsonObject): Reply {
  const error = { code, message: `It says ${code}`, ...(details === undefined ? {} : { details }) };
  return { text: JSON.stringify({ success: false, error }), blocks: [], isError: false, code: code as ErrorCode };
}

export const ASKED = fail('CONFIRMATION_REQUIRED', { confirmation_token: 'conf_abc123' });

/** Answers with success, except for the operations that need confirmation. */
export const askAbout =
  (...operations: readonly string[]) =>
  ({ operation, params }: SentItem): Reply =>
    operations.includes(operation) ? ASKED : succeed(params);
