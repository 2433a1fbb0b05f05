import { isJsonObject, type JsonObject, type JsonSchema } from '../base/json/json.js';
import { oncePer } from '../base/lib/collections.js';
import { type Classification, dangerRank, localNameOf, type Operation, type Risk } from '../base/protocol/operation.js';
import { classifyTool } from '../classify/classify-tool.js';

const NONE: readonly Risk[] = [];

/** What was found for a schema, by the further arguments of calls. */
const found = oncePer((_: JsonSchema) => new Map<string, readonly Risk[]>());
/** Callers make up names: more are not kept. */
const MOST_KEPT = 100;

/**
 * The risks of arguments that a tool does not describe, of an operation that takes such: what the same tool would be rated if it
 * described them. Their values count where they are few enough to be a choice.
 */
export function furtherRisks(operation: Operation, args: JsonObject): readonly Risk[] {
  const { scope, fixedArguments = {}, inputSchema } = operation;
  const names = Object.keys(args).filter(
    (name) => !scope.byUpstreamName.has(name) && !Object.hasOwn(fixedArguments, name),
  );
  if (names.length === 0) return NONE;
  const given = Object.fromEntries(names.slice(0, MOST_NAMES).map((name) => [name, describeValue(args[name], 0)]));
  const key = JSON.stringify([operation.qualifiedName, given]);
  const known = found(inputSchema);
  const risks = known.get(key) ?? rate(operation, given);
  if (known.size >= MOST_KEPT) known.clear();
  if (key.length <= LONGEST_KEY) known.set(key, risks);
  return risks;
}

const MOST_NAMES = 100;
const LONGEST_KEY = 10_000;

function rate(operation: Operation, given: Readonly<Record<string, JsonSchema>>): readonly Risk[] {
  const { inputSchema } = operation;
  const declared = isJsonObject(inputSchema['properties']) ? inputSchema['properties'] : {};
  const before = classify(operation, declared);
  const after = classify(operation, { ...declared, ...given });
  const chosen = classify(operation, { ...declared, ...withValues(given) }, true);
  const names = new Set(Object.keys(given));
  const risks = [...(after.risks ?? []), ...(chosen.risks ?? [])].filter(({ path: [name = ''] }) => names.has(name));
  const isRaised =
    dangerRank(after.danger.level) > dangerRank(before.danger.level) ||
    (before.category === 'READ' && after.category !== 'READ');
  if (!isRaised) return risks;
  const [reason = 'its arguments are run'] = after.danger.reasons;
  const raising = [...names].map(
    (name): Risk => ({ path: [name], when: { present: true }, danger: after.danger.level, reason }),
  );
  return [...risks, ...raising];
}

/** @param asChange finds the values that destroy: those of a READ are not looked for, as a tool with such a choice would be split */
function classify(operation: Operation, properties: JsonObject, asChange = false): Classification {
  const { category } = operation.classification;
  return classifyTool({
    tool: { name: operation.tool, description: operation.description, inputSchema: { type: 'object', properties } },
    name: localNameOf(operation),
    upstream: { slug: operation.upstream, trust: 'untested' },
    curation: asChange ? { category: category === 'READ' ? 'EXECUTE' : category } : {},
    ignoreAnnotations: true,
  });
}

const DEEPEST = 4;
/** One of a choice has two words at most; more are prose. */
const CHOICE = /^(?=.{0,40}$)\S*(?: \S+)?$/;

/** A schema for a value as its tool could have described it. */
function describeValue(value: unknown, depth: number): JsonSchema {
  if (Array.isArray(value))
    return { type: 'array', ...(value.length > 0 && { items: describeValue(value[0], depth + 1) }) };
  if (isJsonObject(value)) {
    const members = depth < DEEPEST ? Object.entries(value).slice(0, MOST_NAMES) : [];
    const properties = Object.fromEntries(members.map(([name, member]) => [name, describeValue(member, depth + 1)]));
    return { type: 'object', properties };
  }
  const isChoice = typeof value === 'string' && CHOICE.test(value) && depth < DEEPEST;
  return { type: value === null ? 'string' : typeof value, ...(isChoice && { examples: [value] }) };
}

/** The same with the texts that were given as the only ones that may be. */
function withValues(schemas: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  const close = (schema: JsonSchema): JsonSchema => {
    const { examples, properties, items, ...rest } = schema;
    return {
      ...rest,
      ...(examples !== undefined && { enum: examples }),
      ...(isJsonObject(properties) && { properties: withValues(properties as Record<string, JsonSchema>) }),
      ...(isJsonObject(items) && { items: close(items) }),
    };
  };
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, close(schema)]));
}
