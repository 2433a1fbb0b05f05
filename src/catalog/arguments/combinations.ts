import { isJsonObject, type JsonSchema } from '../../base/json/json.js';
import { quoteValue } from '../../base/lib/text.js';
import { type Operation, pathOf } from '../../base/protocol/operation.js';
import { declaredTypes, followReference } from '../../schema/schema-shape.js';

/** More sentences, or more alternatives in one, are not read. */
const MOST_SENTENCES = 5;
const MOST_ALTERNATIVES = 6;
const MOST_NAMES = 8;

/**
 * Which combinations of parameters a tool demands, in words; empty where each parameter speaks for itself. Parameters are
 * listed one by one, so what a schema says of several at once (`anyOf`, `if`, `dependentRequired` at its root) is said here.
 */
export function describeCombinations(operation: Operation): string {
  const { inputSchema } = operation;
  const parts = [inputSchema, ...objectsOf(inputSchema['allOf'])].map(
    (part) => followReference(part, inputSchema) ?? {},
  );
  const scope: CombinationScope = { root: inputSchema, nameOf: createNaming(operation) };
  const sentences = parts
    .slice(0, 2 * MOST_SENTENCES)
    .flatMap((part) => [
      ...describeChoice(part['anyOf'], 'one or more', scope),
      ...describeChoice(part['oneOf'], 'exactly one', scope),
      ...describeCondition(part, scope),
      ...describeDependencies(part, scope),
    ]);
  return [...new Set(sentences)].slice(0, MOST_SENTENCES).join(' ');
}

interface CombinationScope {
  readonly root: JsonSchema;
  /** A parameter as its caller writes it, from the upstream's spelling. */
  readonly nameOf: (name: string) => string;
}

function createNaming(operation: Operation): CombinationScope['nameOf'] {
  const { byUpstreamName } = operation.scope;
  return (name) => {
    const parameter = byUpstreamName.get(name);
    return quoteValue(parameter === undefined ? name : pathOf(parameter));
  };
}

function describeChoice(value: unknown, amount: string, scope: CombinationScope): readonly string[] {
  const branches = objectsOf(value).slice(0, MOST_ALTERNATIVES);
  const forms = branches.map((branch) => describeNeeds(followReference(branch, scope.root) ?? {}, scope));
  const distinct = new Set(forms);
  if (distinct.size < 2 || forms.every((form) => form === '')) return [];
  const shown = [...distinct].map((form) => (form === '' ? 'nothing of these' : form));
  return [`Give ${amount} of: ${shown.join('; or ')}.`];
}

/** What a part of the schema demands to be there, with the values that it fixes. */
function describeNeeds(part: JsonSchema, { nameOf }: CombinationScope): string {
  const properties = isJsonObject(part['properties']) ? part['properties'] : {};
  const names = declaredTypes(part['required']).slice(0, MOST_NAMES);
  const fixed = Object.keys(properties).filter(
    (name) => !names.includes(name) && fixedValue(properties[name]) !== undefined,
  );
  return [...names, ...fixed.slice(0, MOST_NAMES)]
    .map((name) => nameOf(name) + (fixedValue(properties[name]) ?? ''))
    .join(' and ');
}

/** Reads ` = 'x'` where a schema allows one value alone. */
function fixedValue(schema: unknown): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  return Array.isArray(values) && values.length === 1 ? ` = ${quoteValue(values[0])}` : undefined;
}

function describeCondition(part: JsonSchema, scope: CombinationScope): readonly string[] {
  const [condition, yes, no] = [part['if'], part['then'], part['else']].map((one) => (isJsonObject(one) ? one : {}));
  const when = describeNeeds(condition ?? {}, scope);
  if (when === '') return [];
  const then = describeNeeds(yes ?? {}, scope);
  const otherwise = describeNeeds(no ?? {}, scope);
  return [
    ...(then === '' ? [] : [`With ${when}, ${then} must be given.`]),
    ...(otherwise === '' ? [] : [`Without ${when}, ${otherwise} must be given.`]),
  ];
}

function describeDependencies(part: JsonSchema, scope: CombinationScope): readonly string[] {
  const rules = [part['dependentRequired'], part['dependencies']].flatMap((one) =>
    isJsonObject(one) ? Object.entries(one) : [],
  );
  return rules.slice(0, MOST_SENTENCES).flatMap(([name, rule]) => {
    const needs = describeNeeds(Array.isArray(rule) ? { required: rule } : {}, scope);
    return needs === '' ? [] : [`With ${scope.nameOf(name)}, ${needs} must be given.`];
  });
}

function objectsOf(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
