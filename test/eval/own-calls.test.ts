import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/base/json/json.js';
import { dangerRank } from '../../src/base/protocol/operation.js';
import { buildCatalog } from '../../src/catalog/build-catalog.js';
import { operationOfCall } from '../../src/catalog/operation.js';
import { anUpstream } from '../support/build-test-catalog.js';
import { type CalledTool, OWN_CALLS } from './own-calls.js';

const TYPES: Readonly<Record<string, JsonObject>> = {
  text: { type: 'string' },
  flag: { type: 'boolean' },
  number: { type: 'integer' },
  object: { type: 'object' },
  list: { type: 'array' },
  'object:sql': { type: 'object', properties: { sql: { type: 'string' } }, required: ['sql'] },
};

function readParameter(taken: CalledTool['takes'][string]): JsonObject {
  if (typeof taken === 'string') return TYPES[taken] ?? {};
  const [first = '', says = ''] = taken;
  return first.startsWith(':') ? { ...TYPES[first.slice(1)], description: says } : { type: 'string', enum: taken };
}

function asks({ name, says, takes }: CalledTool, args: JsonObject): boolean {
  const properties = Object.fromEntries(Object.entries(takes).map(([key, taken]) => [key, readParameter(taken)]));
  const tool = { name, description: says, inputSchema: { type: 'object', properties } };
  const { operations } = buildCatalog({
    toolSets: [{ upstream: 'own', tools: [tool] }],
    upstreams: [anUpstream('own')],
    builtins: [],
    pins: {},
  });
  const meant = operations.find(
    ({ fixedArguments = {}, classification }) =>
      classification.statement?.only !== true &&
      Object.entries(fixedArguments).every(([key, value]) => args[key] === value),
  );
  // A value that no operation takes is refused.
  if (meant === undefined) return true;
  const { classification } = operationOfCall(meant, args);
  return dangerRank(classification.danger.level) >= dangerRank('destructive');
}

function rate(kind: 'asks' | 'runs'): { readonly right: number; readonly wrong: readonly string[] } {
  const calls = OWN_CALLS.flatMap((tool) => (tool[kind] ?? []).map((args) => ({ tool, args })));
  const wrong = calls.filter(({ tool, args }) => asks(tool, args) !== (kind === 'asks'));
  return {
    right: (calls.length - wrong.length) / calls.length,
    wrong: wrong.map(({ tool, args }) => `${tool.name} ${JSON.stringify(args)}`),
  };
}

test('calls that lose something ask, and calls that do not run, over tools that no server has', () => {
  const [asking, running] = [rate('asks'), rate('runs')];
  const percent = ({ right }: { readonly right: number }): string => `${(right * 100).toFixed(1)} %`;
  console.log(
    `own calls: right of those that should ask ${percent(asking)}, of those that should not ${percent(running)}`,
  );
  if (process.env['EVAL_REPORT'] !== undefined) console.log([...asking.wrong, '--', ...running.wrong].join('\n'));
  expect(asking.right).toBeGreaterThanOrEqual(0.9);
  expect(running.right).toBeGreaterThanOrEqual(0.85);
  expect(OWN_CALLS.every(({ takes }) => isJsonObject(takes))).toBe(true);
});
