import type { JsonObject } from '../../../../src/base/json/json.js';
import type { HandlerCall, HandlerOutcome, OperationHandler } from '../../../../src/base/protocol/call.js';
import type { MergeRule, Operation } from '../../../../src/base/protocol/operation.js';
import { OperationError } from '../../../../src/base/protocol/operation-error.js';
import type { ToolCallResult } from '../../../../src/base/protocol/result.js';
import type { UpdatePreview } from '../../../../src/base/protocol/update-preview.js';
import { buildCatalog } from '../../../../src/catalog/build-catalog.js';
import type { Catalog } from '../../../../src/catalog/catalog.js';
import { findOperation } from '../../../../src/catalog/catalog.js';
import { createMergeInterceptor } from '../../../../src/gateway/interceptor/merge-update.js';
import { createRecords } from '../../../fixtures/servers/records.mjs';
import { anUpstream } from '../../../support/build-test-catalog.js';
import { readHeld } from '../../../support/read-held.js';
import { aCall } from './held-interceptor.js';

export const MERGE: MergeRule = { read: 'get_record', identifiers: { id: 'record_id' }, path: 'record' };

export const RECORD = {
  id: 'r1',
  title: 'Old title',
  status: 'open',
  settings: { priority: 'low', tags: ['draft'], owner: 'alice' },
};

interface BenchOptions {
  readonly merge?: MergeRule;
  readonly records?: readonly JsonObject[];
  /** Runs between interceptor and server. */
  readonly wrap?: (inner: OperationHandler) => OperationHandler;
  /** Stands before the reads of updates. */
  readonly governRead?: (read: OperationHandler) => OperationHandler;
}

/** The merge interceptor before a server whose updates replace, and every call that reached that server. */
export function createRecordBench({
  merge = MERGE,
  records = [RECORD],
  wrap = (inner) => inner,
  governRead = (read) => read,
}: BenchOptions = {}) {
  const server = createRecords(records);
  const sent: [tool: string, args: JsonObject][] = [];
  const inner: OperationHandler = async ({ operation, arguments: args }) => {
    sent.push([operation.tool, args]);
    return { toolResult: await server.call(operation.tool, args) };
  };
  const catalog = buildCatalog({
    toolSets: [{ upstream: 'demo', tools: server.list() }],
    upstreams: [anUpstream('demo', { curation: [{ pattern: 'update_record', merge }] })],
    builtins: [],
    pins: {},
  });
  const { handle, previewOf } = createMergeInterceptor({
    inner: wrap(inner),
    read: governRead(wrap(inner)),
    explainFailure,
  })({
    findOperation: (upstream, name) => findOperation(catalog, upstream, name),
    resourcePathOf: ({ name }) => (name === 'get_record' ? 'record' : undefined),
  });
  const update = (args: JsonObject, more: Partial<HandlerCall> = {}): Promise<HandlerOutcome> =>
    handle(aCall(named(catalog, 'update_record'), { arguments: { recordId: 'r1', ...args }, ...more }));
  const preview = (args: JsonObject, more: Partial<HandlerCall> = {}): Promise<UpdatePreview> => {
    const operation = named(catalog, 'update_record');
    const read = previewOf(operation);
    if (read === undefined) throw new Error('it does not merge');
    return read(aCall(operation, { arguments: { recordId: 'r1', ...args }, ...more }));
  };
  return { server, sent, catalog, handle, update, preview };
}

export function named(catalog: Catalog, name: string): Operation {
  const operation = catalog.find(name);
  if (operation === undefined) throw new Error(`no operation '${name}'`);
  return operation;
}

/** The upstream's message as an error; the pipeline has the real function. */
export function explainFailure(operation: Operation, _args: object, { content }: ToolCallResult): OperationError {
  const words = content?.[0]?.['text'];
  return new OperationError('NOT_FOUND_RESOURCE', `Resource not found: '${words}'`, {
    operation: operation.name,
    upstream_error: words,
  });
}

export function resultOf(outcome: HandlerOutcome): ToolCallResult {
  if (!('toolResult' in outcome)) throw new Error('no tool result');
  return readHeld(outcome.toolResult);
}
