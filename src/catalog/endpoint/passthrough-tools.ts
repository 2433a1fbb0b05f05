import { createHash } from 'node:crypto';
import { withoutNulls } from '../../base/json/absent-nulls.js';
import { writeExactMembers } from '../../base/json/exact-result.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { getOrMake, groupBy } from '../../base/lib/collections.js';
import { cleanLabel } from '../../base/lib/text.js';
import { type HeaderParameter, scanHeaderParameters } from '../../base/protocol/header-parameters.js';
import { icons, meta, objectOf, only, type Reader, text } from '../../base/protocol/mend-members.js';
import {
  GATEWAY_SOURCE,
  type Operation,
  type Parameter,
  type ParameterScope,
  QUALIFIER,
  Variants,
} from '../../base/protocol/operation.js';
import type { Diagnostic, RawTool, ToolSet } from '../../base/protocol/tools.js';
import { readFurtherMembers } from '../../schema/further-members.js';
import { findUnsound } from '../../schema/sound-schema.js';
import type { Catalog } from '../catalog.js';
import { readParameters } from '../create-operation.js';
import type { ToolRecord, ToolRecords, WrittenDefinition } from '../integrity/tool-record.js';
import { worstOf } from '../operation.js';
import { ownPages } from './own-pages.js';

/** An upstream's tool in the gateway's own `tools/list`, under its own name and as its upstream defines it. */
export class PassthroughTool {
  readonly name: string;
  /** The full name, where it is too long or odd for models' APIs; calls may say it too. */
  readonly fullName: string;
  /** The parameters that calls over HTTP repeat in headers. */
  readonly headerParameters: readonly HeaderParameter[];
  /** Whether it is listed: not where policy refuses each of its calls. Who calls it all the same is told so. */
  readonly isOffered: boolean;
  /** Those of the catalog that calls of the tool can be: one, or one for each value of a parameter. */
  readonly operations: readonly Operation[];
  readonly #record: ToolRecord;
  readonly #views = new Map<Operation, Operation>();
  /** What a call is that leaves the choice among all operations to the server. */
  readonly #unchosen: Operation | undefined;

  /** @param isWhole whether all that the catalog made of the tool can be called */
  constructor(
    { fullName, name, isOffered }: ShownTool,
    record: ToolRecord,
    operations: readonly Operation[],
    isWhole: boolean,
  ) {
    this.fullName = fullName;
    this.name = name;
    this.isOffered = isOffered;
    this.#record = record;
    this.headerParameters = scanHeaderParameters(record.raw['inputSchema']).parameters;
    this.operations = operations;
    this.#unchosen = isWhole ? worstOf(operations) : undefined;
  }

  /** The definition as sent, as far as clients can read it, under the exposed name. Written when it is first asked for. */
  get json(): string {
    return writeDefinition(this.#record, this.name).json;
  }

  /** What was done to its name and definition for that. */
  get diagnostics(): readonly Diagnostic[] {
    const odd = this.isOffered ? writeDefinition(this.#record, this.name).odd : [];
    return describeChanges(this, odd, this.operations[0]);
  }

  /**
   * The operation that a call with these arguments is, with the parameters of the tool itself. Undefined where the tool is several
   * operations and the arguments name none of them, and where the choice is not the server's.
   */
  operationFor(args: JsonObject): Operation | undefined {
    const meant =
      this.operations.find((part) => isChosen(part, args)) ?? (this.#isLeftOut(args) ? this.#unchosen : undefined);
    return meant === undefined ? undefined : this.#viewOf(meant);
  }

  /** Whether a call leaves the choice to the server, as its schema allows. */
  #isLeftOut(args: JsonObject): boolean {
    const { parameter } = this.choice;
    const [{ inputSchema } = NO_SCHEMA] = this.operations;
    return (args[parameter] ?? null) === null && !requiredOf(inputSchema).includes(parameter);
  }

  /** The parameter that chooses among several operations, and its values. */
  get choice(): { readonly parameter: string; readonly values: readonly unknown[] } {
    const fixed = this.operations.map(({ fixedArguments = {} }) => Object.entries(fixedArguments)[0]);
    return { parameter: fixed[0]?.[0] ?? '', values: fixed.map((entry) => entry?.[1]) };
  }

  #viewOf(operation: Operation): Operation {
    return getOrMake(this.#views, operation, () => asTool(operation, this.name));
  }
}

type ShownTool = Pick<PassthroughTool, 'name' | 'fullName' | 'isOffered'>;

function writeDefinition({ raw, written }: ToolRecord, name: string): WrittenDefinition {
  return written.of(name, () => {
    const { definition, odd } = showableDefinition(raw);
    return { json: `{${writeExactMembers({ ...definition, ...executionOf(definition), name })}}`, odd };
  });
}

function describeChanges(
  { name, fullName, isOffered }: ShownTool,
  odd: readonly string[],
  operation: Operation | undefined,
): readonly Diagnostic[] {
  const { upstream = '', tool = '' } = operation ?? {};
  const report = (kind: string, message: string): Diagnostic => ({ severity: 'info', kind, upstream, tool, message });
  const renamed = `'${cleanLabel(fullName)}' is shown as '${name}', as models' APIs take no other names; calls may say either`;
  if (!isOffered) {
    const why = 'policy refuses each of its calls, by a rule, the trust in the server, or as the gateway only reads';
    return [report('tool-not-listed', `Tool '${tool}' of '${upstream}' is not listed: ${why}`)];
  }
  return [
    ...(name === fullName ? [] : [report('tool-name-shortened', renamed)]),
    ...odd.map((path) =>
      report(
        'definition-mended',
        `Clients cannot read '${path}' of tool '${tool}' of '${upstream}'; it is mended or left out`,
      ),
    ),
  ];
}

/** A tool whose server runs it as a task alone can be called either way here: the gateway waits for the task. */
function executionOf({ execution }: RawTool): JsonObject {
  const isTask = isJsonObject(execution) && execution['taskSupport'] === 'required';
  return isTask ? { execution: { ...execution, taskSupport: 'optional' } } : {};
}

/** A parameter that is left out has its default, where the schema gives one. */
function isChosen({ fixedArguments = {}, inputSchema }: Operation, args: JsonObject): boolean {
  return Object.entries(fixedArguments).every(([name, value]) => {
    const given = Object.hasOwn(args, name) ? args[name] : defaultOf(inputSchema, name);
    return given === value;
  });
}

const NO_SCHEMA: Pick<Operation, 'inputSchema'> = { inputSchema: {} };

function requiredOf({ required }: JsonObject): readonly unknown[] {
  return Array.isArray(required) ? required : [];
}

function defaultOf({ properties }: JsonObject, name: string): unknown {
  const schema = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isJsonObject(schema) ? schema['default'] : undefined;
}

/**
 * The operation as callers of the tool see it: with all parameters of the tool, under its own names, and none in `input`. The
 * gateway reads nothing to merge: such a call means what it would mean without a gateway.
 */
function asTool(operation: Operation, name: string): Operation {
  const { fixedArguments: _fixed, merge: _merge, examples: _examples, strictInside: _inside, ...rest } = operation;
  const parameters = readParameters(operation.inputSchema).parameters.map(
    (parameter): Parameter => ({ ...parameter, name: parameter.upstreamName }),
  );
  const byUpstreamName = new Map(parameters.map((parameter) => [parameter.upstreamName, parameter]));
  const scope: ParameterScope = {
    byName: byUpstreamName,
    byUpstreamName,
    canonical: new Set(byUpstreamName.keys()),
    required: parameters.filter(({ required }) => required),
    hasInput: false,
  };
  // A direct call may hold what the schema does not name, as far as it does not close itself.
  const strict = operation.unknownParameters === 'refuse' || readFurtherMembers(operation.inputSchema).taken === false;
  return { ...rest, parameters, scope, strict, identifiers: [], passthrough: name, variants: new Variants() };
}

/**
 * The upstreams' tools that callers may call, with a name of their own each. A tool has its own name where its operations have
 * theirs, else it is qualified like them (docs/adr/0016-names-belong-to-upstreams.md).
 *
 * @param options names of the gateway's own tools are taken; none is longer; of what is refused, nothing is offered
 */
export function listPassthroughTools(
  catalog: Pick<Catalog, 'operations' | 'upstreams' | 'find' | 'whole'>,
  toolSets: readonly ToolSet[],
  { taken, longestName, records, isRefused }: ListOptions,
): readonly PassthroughTool[] {
  // A tool has the same name in every part of a catalog.
  const { operations, upstreams } = catalog.whole ?? catalog;
  // The operation for a runner's reads is a second name of the same tool.
  const own = operations.filter(
    ({ upstream, classification }) => upstream !== GATEWAY_SOURCE && classification.statement?.only !== true,
  );
  const byTool = groupBy(own, ({ upstream, tool }) => keyOf(upstream, tool));
  const definitions = new Map<string, RawTool>();
  for (const { upstream, tools } of toolSets) {
    for (const tool of tools) {
      const key = isJsonObject(tool) ? keyOf(upstream, String(tool['name'])) : '';
      if (byTool.has(key) && !definitions.has(key)) definitions.set(key, tool);
    }
  }
  const withOwnPages = ownPages(toolSets);
  const bare = countNames(byTool);
  const slugs = new Set(upstreams);
  const found: (Omit<ShownTool, 'name'> & FoundTool)[] = [];
  for (const [key, parts] of byTool) {
    const raw = definitions.get(key);
    const [{ upstream, tool } = NO_PART] = parts;
    const shown = catalog.whole === undefined ? parts : parts.flatMap((part) => catalog.find(part.qualifiedName) ?? []);
    if (raw === undefined || shown.length === 0) continue;
    const isOwn = parts.every(hasBareName) && bare.get(tool) === 1 && !taken.has(tool) && !isQualified(tool, slugs);
    const offered = shown.filter((part) => !isRefused(part));
    const whole = withReadSchema(raw, shown);
    const isWhole = offered.length === parts.length;
    const definition = isWhole || offered.length === 0 ? whole : offerOnly(whole, offered);
    found.push({
      fullName: isOwn ? tool : `${upstream}${QUALIFIER}${tool}`,
      isOffered: offered.length > 0,
      raw: withOwnPages(upstream, definition),
      shown,
      isWhole,
    });
  }
  const names = portableNames(
    found.map(({ fullName }) => fullName),
    longestName,
  );
  return found.map(
    ({ raw, shown, isWhole, ...tool }) =>
      new PassthroughTool(
        { ...tool, name: names.get(tool.fullName) ?? tool.fullName },
        records.of(raw),
        shown,
        isWhole,
      ),
  );
}

interface FoundTool {
  readonly raw: RawTool;
  readonly shown: readonly Operation[];
  readonly isWhole: boolean;
}

interface ListOptions {
  readonly taken: ReadonlySet<string>;
  readonly longestName: number;
  readonly records: ToolRecords;
  readonly isRefused: (operation: Operation) => boolean;
}

/** A schema that came as JSON in a text is shown as it was read. */
function withReadSchema(raw: RawTool, [operation]: readonly Operation[]): RawTool {
  return typeof raw['inputSchema'] === 'string' ? { ...raw, inputSchema: operation?.inputSchema } : raw;
}

/** The definition of a tool of which only these operations are shown: its parameter takes their values alone, and must be given. */
function offerOnly(raw: RawTool, shown: readonly Operation[]): RawTool {
  const { inputSchema } = raw;
  const properties = isJsonObject(inputSchema) ? inputSchema['properties'] : undefined;
  const [parameter] = Object.keys(shown[0]?.fixedArguments ?? {});
  if (!isJsonObject(inputSchema) || !isJsonObject(properties) || parameter === undefined) return raw;
  const values = shown.map(({ fixedArguments = {} }) => fixedArguments[parameter]);
  const required = [...new Set([...requiredOf(inputSchema), parameter])];
  return {
    ...raw,
    inputSchema: { ...inputSchema, properties: { ...properties, [parameter]: { enum: values } }, required },
  };
}

const NO_PART: Pick<Operation, 'upstream' | 'tool'> = { upstream: '', tool: '' };

function keyOf(upstream: string, tool: string): string {
  return `${upstream}\n${tool}`;
}

function countNames(byTool: ReadonlyMap<string, readonly Operation[]>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [{ tool } = NO_PART] of byTool.values()) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return counts;
}

function hasBareName({ name, qualifiedName }: Operation): boolean {
  return name !== qualifiedName;
}

/** Whether a server calls its tool as if it were another server's. */
function isQualified(tool: string, slugs: ReadonlySet<string>): boolean {
  const end = tool.indexOf(QUALIFIER);
  return end > 0 && slugs.has(tool.slice(0, end));
}

/** Enough that no two of a million names end alike. */
const HASH_CHARACTERS = 10;

/**
 * The names under which tools are shown, by their full names: as models' APIs take them, of letters, digits, `_` and `-`, and not too
 * long. What is changed ends with a hash of the whole name, so that it is the same for ever; a tool that calls itself as another one is
 * shown is given another name as well.
 */
function portableNames(names: readonly string[], longest: number): ReadonlyMap<string, string> {
  const changed = new Map(
    names.flatMap((name) => (isPortable(name, longest) ? [] : [[name, withHash(name, longest)]])),
  );
  const given = new Set(changed.values());
  return new Map(
    names.map((name) => [name, changed.get(name) ?? (given.has(name) ? withHash(name, longest) : name)] as const),
  );
}

function isPortable(name: string, longest: number): boolean {
  return name.length <= longest && /^[\w-]+$/.test(name);
}

function withHash(name: string, longest: number): string {
  const end = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARACTERS);
  const begin = name.replace(/[^\w-]+/g, '_').slice(0, longest - HASH_CHARACTERS - 1);
  return `${begin}_${end}`;
}

const flag = only((value) => typeof value === 'boolean');

/** Members of a schema whose values are data, in which null is a value. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'example']);

/** A parameter's schema. `true` and `false` are schemas too, but clients want objects. */
const property: Reader = (value, path, odd) => {
  if (isJsonObject(value)) return value;
  odd.push(path);
  return value === false ? { not: {} } : {};
};

const properties: Reader = (value, path, odd) => {
  if (!isJsonObject(value)) return only(() => false)(value, path, odd);
  return objectOf(Object.fromEntries(Object.keys(value).map((name) => [name, property])))(value, path, odd);
};

/** One name is often written without its list. */
const required: Reader = (value, path, odd) => {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const names = given.filter((name) => typeof name === 'string');
  if (Array.isArray(value) && names.length === value.length) return value;
  odd.push(path);
  return names.length === 0 ? undefined : names;
};

/** What a schema that may describe an object lacks is said: clients want `type: "object"`. */
const objectSchema: Reader = (value, path, odd) => {
  const schema: JsonObject = isJsonObject(value) ? withoutNulls(value, DATA) : {};
  const { type } = schema;
  const isRight = schema === value && type === 'object';
  if (!isRight) odd.push(path);
  const typed = type === 'object' ? schema : { ...schema, type: 'object' };
  return objectOf({ properties, required, $schema: text })(typed, path, odd);
};

/** Whether nothing but an object fits, or a type is not said. */
function mayBeObject({ type = 'object' }: JsonObject): boolean {
  return type === 'object' || type === null || (Array.isArray(type) && type.includes('object'));
}

/** Clients prepare these schemas when they read the list: one that cannot be prepared costs them all tools. */
const outputSchema: Reader = (value, path, odd) => {
  if (value === null) return undefined;
  const schema = isJsonObject(value) && mayBeObject(value) && Object.keys(value).length > 0 ? value : undefined;
  const kept = schema === undefined ? undefined : objectSchema(schema, path, odd);
  const unsound = isJsonObject(kept) ? findUnsound(kept) : '';
  if (unsound === undefined) return kept;
  odd.push(unsound === '' ? path : `${path} (${unsound})`);
  return undefined;
};

const readMembers = objectOf({
  title: text,
  description: text,
  inputSchema: objectSchema,
  outputSchema,
  annotations: objectOf({
    title: text,
    readOnlyHint: flag,
    destructiveHint: flag,
    idempotentHint: flag,
    openWorldHint: flag,
  }),
  execution: objectOf({ taskSupport: only((value) => ['required', 'optional', 'forbidden'].includes(String(value))) }),
  icons,
  _meta: meta,
});

/** Members whose nulls are read where they stand: in a schema a null may be a value, and `_meta` is nobody's business here. */
const READ_APART: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema', '_meta']);

/**
 * A tool's definition as every client can read it, and the paths of what had to be mended or left out for that. Clients check the whole
 * list by MCP's schema and drop all of its tools for one member that is off it. What is null is absent.
 */
export function showableDefinition(raw: RawTool): { readonly definition: JsonObject; readonly odd: readonly string[] } {
  const odd: string[] = [];
  const given = withoutNulls(raw, READ_APART);
  const whole = given['inputSchema'] === undefined ? { ...given, inputSchema: null } : given;
  return { definition: readMembers(whole, '', odd) as JsonObject, odd: [...new Set(odd)] };
}
