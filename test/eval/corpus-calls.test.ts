import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/base/json/json.js';
import type { Operation } from '../../src/base/protocol/operation.js';
import { dangerRank } from '../../src/base/protocol/operation.js';
import { buildCatalog } from '../../src/catalog/build-catalog.js';
import { operationOfCall } from '../../src/catalog/operation.js';
import { toSlug } from '../../src/config/load/server-definition.js';
import { anUpstream } from '../support/build-test-catalog.js';
import { minutes } from '../support/patience.js';
import { findCorpus, readCorpusTools } from './corpus.js';

/** A call of a captured tool, labelled before it was rated. */
interface LabelledCall {
  readonly server: string;
  readonly tool: string;
  readonly asks: boolean;
  readonly args: JsonObject;
}

const corpus = findCorpus();

const [, ...rows] = readFileSync(join(import.meta.dirname, 'corpus-calls.tsv'), 'utf8')
  .trim()
  .split('\n');
const calls = rows.map((row): LabelledCall => {
  const [server = '', tool = '', asks, text = ''] = row.split('\t');
  const args: unknown = JSON.parse(text);
  if (!isJsonObject(args)) throw new Error(`no arguments: ${row}`);
  return { server, tool, asks: asks === 'y', args };
});

function readServers(directory: string): readonly Operation[] {
  const tools = ['tools-more', 'tools-lmb'].flatMap((folder) => readCorpusTools(directory, folder));
  const servers = [...new Set(calls.map(({ server }) => server))];
  return buildCatalog({
    toolSets: servers.map((server) => ({
      upstream: toSlug(server),
      tools: tools.filter((each) => each.server === server).map(({ tool }) => tool),
    })),
    upstreams: servers.map((server) => anUpstream(toSlug(server))),
    builtins: [],
    pins: {},
  }).operations;
}

/** Whether somebody has to agree to the call. A value that no operation takes is refused. */
function asks(operations: readonly Operation[], { server, tool, args }: LabelledCall): boolean {
  const named = operations.filter(
    (one) => one.upstream === toSlug(server) && one.tool === tool && one.classification.statement?.only !== true,
  );
  if (named.length === 0) throw new Error(`no such tool: ${server} ${tool}`);
  const meant = named.find(({ fixedArguments = {} }) =>
    Object.entries(fixedArguments).every(([key, value]) => args[key] === value),
  );
  if (meant === undefined) return true;
  const level = operationOfCall(meant, args).classification.danger.level;
  return dangerRank(level) >= dangerRank('destructive');
}

test.skipIf(corpus === undefined)(
  'calls of captured servers that lose something ask, and those that do not run',
  { timeout: minutes(5) },
  () => {
    const operations = readServers(corpus ?? '');
    const wrong = calls.filter((call) => asks(operations, call) !== call.asks);
    const rightOf = (should: boolean): number => {
      const all = calls.filter((call) => call.asks === should).length;
      return 1 - wrong.filter((call) => call.asks === should).length / all;
    };
    const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
    console.log(
      `calls of captured servers: right of ${calls.length} those that should ask ${percent(rightOf(true))}, those that should not ${percent(rightOf(false))}`,
    );
    if (process.env['EVAL_REPORT'] !== undefined)
      console.log(
        wrong
          .map(
            ({ server, tool, asks: should, args }) =>
              `${should ? 'unasked' : 'asked'} ${server} ${tool} ${JSON.stringify(args)}`,
          )
          .join('\n'),
      );
    expect(rightOf(true)).toBeGreaterThanOrEqual(0.9);
    expect(rightOf(false)).toBeGreaterThanOrEqual(0.85);
  },
);
