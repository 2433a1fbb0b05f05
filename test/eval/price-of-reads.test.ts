import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { groupBy } from '../../src/base/lib/collections.js';
import type { Operation } from '../../src/base/protocol/operation.js';
import { bindArguments } from '../../src/catalog/arguments/bind-arguments.js';
import { findValidExample } from '../../src/catalog/arguments/example-params.js';
import { operationOfCall } from '../../src/catalog/operation.js';
import { toSlug } from '../../src/config/load/server-definition.js';
import { buildTestCatalog } from '../support/build-test-catalog.js';
import { minutes } from '../support/patience.js';
import { TASKS } from '../trial/tasks.mjs';
import { findCorpus, readCorpusTools } from './corpus.js';
import { readOwnCases, readOwnServers } from './own-servers.js';

/** The most of the calls of reading tools that may ask, as what they carry seems to act. */
const MOST = 0.02;

const reads = (operations: readonly Operation[]): readonly Operation[] =>
  operations.filter(({ classification }) => classification.category === 'READ');

/** Calls of an operation: what is required, and all that its schema has an example for. */
function callsOf(operation: Operation): readonly JsonObject[] {
  const examples = operation.parameters.map(({ name, schema }): readonly [string, unknown] => {
    const { examples: given, default: usual } = schema;
    return [name, Array.isArray(given) ? given[0] : usual];
  });
  const all = Object.fromEntries(examples.filter(([, value]) => value !== undefined && value !== null));
  return [{}, all].flatMap((given) => {
    const bound = bindArguments(operation, findValidExample(operation, given) ?? {});
    return bound.ok ? [bound.arguments] : [];
  });
}

const asks = (operation: Operation, args: JsonObject): boolean =>
  operationOfCall(operation, args).classification.category !== 'READ';

function expectPrice(calls: readonly (readonly [Operation, JsonObject])[], least: number): void {
  const asking = calls.filter(([operation, args]) => asks(operation, args));
  expect(calls.length).toBeGreaterThan(least);
  const shown = asking.map(([{ qualifiedName }, args]) => `${qualifiedName} ${JSON.stringify(args)}`);
  expect(shown.length, shown.join('\n')).toBeLessThanOrEqual(MOST * calls.length);
}

describe('reads that ask', () => {
  test('are few where the words of requests are searched for, and where they are given to any text', () => {
    const servers = readOwnServers();
    const tools = Object.fromEntries(servers.map(({ name, json }) => [toSlug(name), (json as { tools: [] }).tools]));
    const operations = reads(buildTestCatalog(tools).operations);
    const words = readOwnCases().map(({ query }) => query);
    const calls = operations.flatMap((operation) =>
      words.map((query) => {
        const texts = operation.parameters.filter(({ schema }) => schema['type'] === 'string');
        return [operation, Object.fromEntries(texts.map(({ upstreamName }) => [upstreamName, query]))] as const;
      }),
    );
    expectPrice(calls, 5_000);
  });

  const corpus = findCorpus();
  if (corpus === undefined) {
    test.skip('are few over captured servers: there is no ../shared/corpus here', () => undefined);
    return;
  }

  test(
    'are few over captured servers, with the examples of their schemas and the calls of the trials',
    () => {
      const captured = ['tools', 'tools-more', 'tools-lmb', 'tools-github'].flatMap((folder) =>
        readCorpusTools(corpus, folder),
      );
      const sets = [...groupBy(captured, ({ server }) => toSlug(server))].map(
        ([slug, tools]) => [slug, tools.map(({ tool }) => tool)] as const,
      );
      const operations = reads(buildTestCatalog(Object.fromEntries(sets)).operations);
      const world = { repository: '/srv/shop', files: '/srv/files' };
      const trial = TASKS.flatMap(({ own }) => own(world)).flatMap(([, tool, args]) =>
        operations.filter((operation) => operation.tool === tool).map((operation) => [operation, args] as const),
      );
      expect(trial.length).toBeGreaterThan(5);
      const examples = operations.flatMap((operation) => callsOf(operation).map((args) => [operation, args] as const));
      expectPrice([...examples, ...trial], 3_000);
    },
    minutes(3),
  );
});
