import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../base/json/json.js';
import type { DocumentedOperation, DocumentedParameter } from './catalog-view.js';
import type { Answer, DefaultCase } from './evidence.js';
import type { Probe } from './probe.js';

/**
 * Documented defaults whose effect is seen in an answer: of `introspect`, of the gateway's controls, and of READs that answer
 * alike when asked twice.
 */
export async function gatherDefaults(
  probe: Probe,
  reads: readonly DocumentedOperation[],
  totalOperations: number,
): Promise<readonly DefaultCase[]> {
  const cases: DefaultCase[] = [];
  for (const operation of reads) {
    for (const parameter of operation.parameters.filter((known) => known['default'] !== undefined)) {
      const seen = isPageSize(operation, parameter)
        ? await seePageSize(probe, operation, parameter, totalOperations)
        : await seeDefault(probe, operation, parameter);
      cases.push(...seen);
    }
  }
  return cases;
}

function isPageSize({ name }: DocumentedOperation, parameter: DocumentedParameter): boolean {
  return name === 'introspect' && parameter.name === 'first';
}

/** The list of operations is as long as the documented page, or as all operations where those are fewer. */
async function seePageSize(
  probe: Probe,
  { name: operation, tool }: DocumentedOperation,
  { name, default: size }: DocumentedParameter,
  total: number,
): Promise<readonly DefaultCase[]> {
  if (name !== 'first' || typeof size !== 'number') return [];
  return [
    {
      operation,
      parameter: name,
      expected_value_path: 'data.operations.length',
      expected_value: Math.min(size, total),
      response: await probe.send(tool, { operation, params: { query: 'operations' } }),
    },
  ];
}

/** Controls whose default holds beside another one: that one, under the name that it has with this operation. */
const PARTNERS: Readonly<Record<string, JsonObject>> = {
  limit: { offset: 0 },
  offset: { limit: 1 },
  page: { page_size: 1 },
  page_size: { page: 1 },
};

/**
 * The answer without the parameter is the answer with its default. A case for each text, number and flag of it, up to a bound;
 * none where answers differ from call to call, and none of what only repeats the arguments.
 */
async function seeDefault(
  probe: Probe,
  { name: operation, tool, parameters, example }: DocumentedOperation,
  parameter: DocumentedParameter,
): Promise<readonly DefaultCase[]> {
  const isRequired = parameters.some(({ required }) => required);
  // A short list of operations shows what its default adds; the example of another READ may succeed or not.
  const partner = operation === 'introspect' ? { query: 'operations', first: 3 } : partnerOf(parameter.name);
  const send = (params: JsonObject): Promise<Answer> =>
    probe.send(tool, { operation, params: { ...(isRequired && example), ...partner, ...params } });
  const given = { [parameter.name]: parameter['default'] };
  const first = await send(given);
  const second = await send(given);
  if (!first.success || !isDeepStrictEqual(first.data, second.data)) return [];
  const response = await send({});
  const again = new Map(leavesOf((await send({})).data, 'data'));
  const without = new Map(leavesOf(response.data, 'data'));
  // Times and ids differ between two equal calls, and an echo of the arguments is about the call.
  const isConstant = (path: string): boolean => isDeepStrictEqual(without.get(path), again.get(path));
  return leavesOf(first.data, 'data')
    .filter(([path, value]) => isConstant(path) && !isEcho(path, value, parameter.name))
    .slice(0, MOST_LEAVES)
    .map(([path, value]) => ({
      operation,
      parameter: parameter.name,
      expected_value_path: path,
      expected_value: value,
      response,
    }));
}

/** Whether a value lies under the parameter's name, or is a text that holds it. */
function isEcho(path: string, value: unknown, parameter: string): boolean {
  const name = fold(parameter);
  if (path.split('.').some((segment) => fold(segment) === name)) return true;
  return typeof value === 'string' && name.length > 2 && fold(value).includes(name);
}

function fold(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}

const RENAMED = /^(?:result_)*/;

function partnerOf(name: string): JsonObject | undefined {
  const [prefix = ''] = RENAMED.exec(name) ?? [];
  const partner = PARTNERS[name.slice(prefix.length)];
  return partner && Object.fromEntries(Object.entries(partner).map(([key, value]) => [`${prefix}${key}`, value]));
}

const MOST_LEAVES = 20;

/** Texts, numbers and flags by their dotted path, and the length of each list; without keys that a path cannot hold. */
function leavesOf(
  value: unknown,
  path: string,
): readonly (readonly [path: string, leaf: DefaultCase['expected_value']])[] {
  if (Array.isArray(value)) {
    return [[`${path}.length`, value.length], ...value.flatMap((item, index) => leavesOf(item, `${path}.${index}`))];
  }
  if (isJsonObject(value)) {
    const keys = Object.keys(value).filter((key) => key !== '' && !key.includes('.'));
    return keys.flatMap((key) => leavesOf(value[key], `${path}.${key}`));
  }
  return isLeaf(value) ? [[path, value]] : [];
}

function isLeaf(value: unknown): value is DefaultCase['expected_value'] {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
