import { isJsonObject, type JsonSchema } from '../base/json/json.js';
import { toSnakeCase } from '../base/lib/names.js';
import { cleanText } from '../base/lib/text.js';
import {
  type Classification,
  type Operation,
  type Parameter,
  QUALIFIER,
  type Risk,
  TRUST_LEVELS,
  type TrustLevel,
} from '../base/protocol/operation.js';
import type { Diagnostic, RawTool } from '../base/protocol/tools.js';
import { classifyTool } from '../classify/classify-tool.js';
import { findForeignParameters } from '../classify/foreign-parameters.js';
import { findKnown } from '../classify/known.js';
import type { EmptyHints } from '../classify/words/default-hints.js';
import type { RiskDeclaration } from '../config/gateway-config.js';
import { readFurtherMembers } from '../schema/further-members.js';
import { followReference, readObjectFields } from '../schema/schema-shape.js';
import { type CatalogUpstream, restOnAccount } from './account/read-only-account.js';
import type { Curation } from './curation.js';
import { whyFurther } from './further-parameters.js';
import { describeValue, narrowSchema } from './grouped-tools/narrow-schema.js';
import type { ScreenedTool } from './integrity/screen-tools.js';
import type { CreatedOperation } from './integrity/tool-record.js';
import { assignUniqueNames } from './names.js';
import { finishOperation, withCertainRisks } from './operation.js';
import { asOnlyReads, describeOnlyReads, examplesOfReads } from './read-only-part.js';
import { splitUpdateInput } from './update-input.js';

/** The value of the grouping parameter that one operation of a grouped tool fixes. */
export interface Choice {
  /** In the upstream's spelling, as is the value. */
  readonly parameter: string;
  readonly value: string;
  /** The name that says what it does; the exposed name may differ. */
  readonly name: string;
}

/** A tool, or a part of one, with everything that is decided before its exposed name. */
export interface DraftOperation {
  readonly upstream: CatalogUpstream;
  readonly tool: ScreenedTool;
  readonly curation: Curation;
  /** Unique within the upstream. */
  readonly localName: string;
  /** Hints that the upstream writes on its tools without regard to what they do. */
  readonly emptyHints?: EmptyHints | undefined;
  /** Whether the upstream's hints tell reads from other tools. */
  readonly tellsReadsApart?: boolean;
  /** Words that names of the upstream begin with and that are no verbs there. */
  readonly objectPrefixes: ReadonlySet<string>;
  /** The known server that the upstream is taken for. */
  readonly knownServer?: string | undefined;
  readonly choice?: Choice | undefined;
  /** Set for the operation that runs only statements which are proven to read. */
  readonly onlyReads?: true | undefined;
  /** The names within the upstream of what it is a part of; absent for a whole tool. */
  readonly partOf?: readonly string[] | undefined;
}

/**
 * Creates the operation of a tool: the same object for the same input. Schemas are shared with the raw tool. Never throws.
 */
export function createOperation(draft: DraftOperation, name: string, ignoreAnnotations: boolean): CreatedOperation {
  const {
    curation,
    localName,
    choice = null,
    emptyHints,
    objectPrefixes,
    onlyReads = false,
    partOf,
    tool,
    upstream,
  } = draft;
  const { slug, trust, strict, formats, timeoutMs, readOnlyStatements, rowFunctions } = upstream;
  const key = JSON.stringify([
    slug,
    trust,
    strict,
    formats,
    timeoutMs,
    curation,
    localName,
    choice,
    name,
    ignoreAnnotations,
    emptyHints,
    draft.tellsReadsApart,
    [...objectPrefixes],
    draft.knownServer,
    onlyReads,
    partOf,
    readOnlyStatements,
    rowFunctions,
    upstream.account,
  ]);
  return tool.record.operations.of(key, () => tryOperation(draft, name, ignoreAnnotations));
}

function tryOperation(draft: DraftOperation, name: string, ignoreAnnotations: boolean): CreatedOperation {
  try {
    return readOperation(draft, name, ignoreAnnotations);
  } catch {
    // One tool that cannot be read (nested a hundred thousand deep) must not remove the others from the catalog.
    const { slug: upstream } = draft.upstream;
    const tool = draft.tool.name;
    const message = `Tool '${tool}' of '${upstream}' cannot be called: its definition cannot be read`;
    return {
      operation: undefined,
      diagnostics: [{ severity: 'warning', kind: 'tool-set-aside', upstream, tool, message }],
    };
  }
}

/** Arguments that an operation does not take raise no danger, as they are refused. */
function withoutRisksOf(foreign: ReadonlySet<string>, classification: Classification): Classification {
  const { risks, ...rest } = classification;
  if (foreign.size === 0 || risks === undefined) return classification;
  const left = risks.filter(({ path: [parameter = ''] }) => !foreign.has(parameter));
  return left.length === 0 ? rest : { ...rest, risks: left };
}

function readOperation(draft: DraftOperation, name: string, ignoreAnnotations: boolean): CreatedOperation {
  const { upstream, tool, curation, localName, choice, onlyReads = false, partOf } = draft;
  const { slug, trust, readOnlyStatements, rowFunctions } = upstream;
  const { raw, record, inputSchema } = tool;
  const visibleSchema = choice === undefined ? inputSchema : narrowSchema(inputSchema, choice);
  // Where parameters that are not described are let through, leaving one out of the description would only hide it.
  const further = whyFurther(inputSchema, raw, curation.unknownParameters);
  const strict = further === undefined && (upstream.strict !== false || curation.unknownParameters === 'refuse');
  const foreign = new Set(choice !== undefined && strict ? findForeignParameters(inputSchema, choice) : []);
  const { parameters: all, suffixed } = readParameters(visibleSchema, inputSchema);
  const flat = foreign.size === 0 ? all : all.filter(({ upstreamName }) => !foreign.has(upstreamName));
  const { category, danger, risks } = curation;
  const classifiedAlone = classifyTool({
    tool: raw,
    name: choice?.name ?? localName,
    upstream: { slug, trust },
    curation: {
      ...(category !== undefined && !onlyReads && { category }),
      ...(danger !== undefined && !onlyReads && { danger }),
      ...(risks !== undefined && !onlyReads && { risks: risks.map((risk) => readRisk(risk, flat)) }),
    },
    ignoreAnnotations,
    emptyHints: draft.emptyHints,
    tellsReadsApart: draft.tellsReadsApart,
    objectPrefixes: draft.objectPrefixes,
    readOnlyStatements,
    rowFunctions,
    reading: record.reading,
    ...(choice === undefined ? { known: findKnown(record, draft.knownServer) } : { groupValue: choice }),
  });
  const classified = restOnAccount(classifiedAlone, upstream, tool, curation);
  const classification = onlyReads
    ? asOnlyReads(classified, danger)
    : withCertainRisks(withoutRisksOf(foreign, classified), flat);
  const described = describe(raw, curation, choice);
  const description = onlyReads ? describeOnlyReads(classification, described) : described;
  const sensitive = findSensitiveParameters(flat, curation.sensitive ?? [], {
    root: inputSchema,
    strict,
  });
  const isUpdate = classification.category === 'UPDATE';
  const parameters = isUpdate ? splitInput(localName, flat, curation, strict) : flat;
  const operation = finishOperation({
    name,
    // Joined, because a text that is added is put together where it is read first: of thousands in one turn.
    qualifiedName: [slug, localName].join(QUALIFIER),
    upstream: slug,
    tool: tool.name,
    partOf,
    classification,
    description,
    parameters,
    identifiers: isUpdate
      ? parameters
          .filter(({ place, eitherPlace }) => place === 'params' && eitherPlace !== true)
          .map((parameter) => parameter.name)
      : [],
    strict,
    strictInside: upstream.strict === 'deep' || undefined,
    formats: upstream.formats === 'strict' ? 'strict' : undefined,
    unknownParameters: curation.unknownParameters,
    inputSchema,
    outputSchema: isJsonObject(raw['outputSchema']) ? raw['outputSchema'] : undefined,
    retryable: isRetryable(raw, classification, curation, ignoreAnnotations ? 'untested' : trust),
    timeoutMs: curation.timeoutMs ?? upstream.timeoutMs,
    fixedArguments: choice && { [choice.parameter]: choice.value },
    groupedBy: record.reading.grouping?.parameter ?? null,
    ...(onlyReads && examplesOfReads(name, parameters, classification)),
    confirmationMessage: curation.confirmationMessage,
    cooldownSeconds: curation.cooldownSeconds,
    requiresReauth: curation.requiresReauth,
    auditContext: curation.auditContext,
    sensitive: sensitive.length > 0 ? sensitive : undefined,
    collection: curation.collection === undefined ? undefined : splitPath(curation.collection),
    presets: curation.presets,
    computed: curation.computed,
    // A pattern may match any operation: `cache` counts for READs, `merge` for UPDATEs.
    cacheSeconds: classification.category === 'READ' ? curation.cache?.ttlSeconds : undefined,
    merge: isUpdate ? mergingOf(curation, localName, description) : undefined,
    deprecated: curation.deprecated,
    slowMs: curation.slowMs,
    lifecycle: curation.lifecycle,
    family: curation.family,
    appOnly: isForAppsAlone(raw) || undefined,
  });
  const diagnostics = suffixed.map((parameter) => renamedDiagnostic(operation, parameter));
  return { operation, diagnostics: further === 'silent' ? [...diagnostics, silentDiagnostic(operation)] : diagnostics };
}

/** https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx */
function isForAppsAlone({ _meta: meta }: RawTool): boolean {
  const ui = isJsonObject(meta) ? meta['ui'] : undefined;
  const visibility = isJsonObject(ui) ? ui['visibility'] : undefined;
  return Array.isArray(visibility) && visibility.includes('app') && !visibility.includes('model');
}

/** A risk that the operator declares, with the upstream's spelling of its parameter. */
function readRisk(
  { parameter, is, danger = 'destructive', reason }: RiskDeclaration,
  parameters: readonly Parameter[],
): Risk {
  const [first = '', ...members] = parameter.split('.');
  const known = parameters.find(({ name, upstreamName }) => name === first || upstreamName === first);
  return {
    path: [known?.upstreamName ?? first, ...members],
    when: is === undefined ? { present: true } : { is },
    danger,
    reason: reason ?? `parameter '${parameter}' is declared ${danger}`,
  };
}

/** Where the gateway merges, no field of `input` is required: a field that the caller leaves out keeps its value. */
function splitInput(
  localName: string,
  flat: readonly Parameter[],
  curation: Curation,
  strict: boolean,
): readonly Parameter[] {
  const split = splitUpdateInput(localName, flat, curation.identifiers, !strict);
  if (curation.merge === undefined) return split;
  return split.map((parameter) => (parameter.place === 'input' ? { ...parameter, required: false } : parameter));
}

/** Names of tools that replace what is there; `set` only where it is the verb. */
const REPLACING_NAME = /(?:^|_)(?:put|replace|overwrite)(?:_|$)|^set_/;

/** Descriptions of such tools. */
const REPLACING_WORDS = /\b(?:[Oo]verwrit\w+|PUT|[Rr]eplac\w+ (?:the |an? |its )?(?:whole|entire|complete))\b/;

/** How the gateway merges an UPDATE, where its operator says that it does. */
function mergingOf({ merge }: Curation, localName: string, description: string): Operation['merge'] {
  if (merge === undefined) return undefined;
  const replaces = REPLACING_NAME.test(localName) || REPLACING_WORDS.test(description);
  return { ...merge, writes: merge.writes ?? (replaces ? 'whole' : 'changed') };
}

function splitPath(collection: string | false): readonly string[] | null {
  if (collection === false) return null;
  return collection === '' ? [] : collection.split('.');
}

function describe(raw: RawTool, curation: Curation, choice: Choice | undefined): string {
  const declared = cleanText(curation.description);
  if (declared !== '') return declared;
  const annotations = isJsonObject(raw['annotations']) ? raw['annotations'] : {};
  const texts = [raw['description'], raw['title'], annotations['title']];
  const description = texts.map(cleanText).find((text) => text !== '') ?? '';
  return choice === undefined ? description : describeValue(raw, choice, description);
}

/** A wrong `idempotentHint` makes something happen twice, so the hint counts from trust level `validated` on (decision 9). */
function isRetryable(raw: RawTool, { category }: Classification, { idempotent }: Curation, trust: TrustLevel): boolean {
  if (idempotent !== undefined) return idempotent;
  if (category === 'READ') return true;
  const annotations = isJsonObject(raw['annotations']) ? raw['annotations'] : {};
  return annotations['idempotentHint'] === true && TRUST_LEVELS.indexOf(trust) >= TRUST_LEVELS.indexOf('validated');
}

function renamedDiagnostic({ upstream, tool, name }: Operation, parameter: Parameter): Diagnostic {
  const message = `Parameter '${parameter.upstreamName}' of '${name}' is called '${parameter.name}': another parameter has the same name in snake_case`;
  return { severity: 'info', kind: 'parameter-suffixed', upstream, tool, message };
}

/** Nothing that a call of it holds can be checked. */
function silentDiagnostic({ upstream, tool, name }: Operation): Diagnostic {
  const message =
    `The schema of tool '${tool}' of '${upstream}' names no parameter, though it seems to take some: calls of '${name}' are not ` +
    "checked, and pass with whatever they hold. 'unknownParameters' of the operation says 'allow' or 'refuse' for good";
  return { severity: 'warning', kind: 'schema-says-nothing', upstream, tool, message };
}

interface ReadParameters {
  /** In the schema's order, all in place `params`. */
  readonly parameters: readonly Parameter[];
  /** Parameters whose canonical name needed a number because another one has the same name in snake_case. */
  readonly suffixed: readonly Parameter[];
}

/**
 * The parameters that a tool's input schema describes, with their canonical names (specification 4.3).
 *
 * @param root what `$ref`s resolve against, where the schema is made from a part of another
 */
export function readParameters(inputSchema: JsonSchema, root: JsonSchema = inputSchema): ReadParameters {
  const fields = readObjectFields(inputSchema, root);
  const claims = fields.map(({ name: key }) => {
    const base = toSnakeCase(key, 'param');
    return { key, base, rank: base === key ? 0 : 1 };
  });
  const names = assignUniqueNames(claims);
  const parameters = fields.map(
    ({ name: upstreamName, schema, required }): Parameter => ({
      name: names.get(upstreamName) ?? upstreamName,
      upstreamName,
      place: 'params',
      required,
      schema,
    }),
  );
  return { parameters, suffixed: parameters.filter(({ name }, index) => name !== claims[index]?.base) };
}

const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf'] as const;

/**
 * The parameters, in the upstream's spelling, whose values are secret: those that the operator names in either spelling, and
 * those whose schema says `writeOnly` or `format: password`, be it in one alternative or of each element. `*` stands for all where
 * secrets come under names that are not described.
 *
 * @param declared the operator's names; one that no parameter has counts too where unknown parameters are let through
 * @param root what `$ref`s resolve against
 */
function findSensitiveParameters(
  parameters: readonly Parameter[],
  declared: readonly string[],
  { root, strict }: { readonly root: JsonSchema; readonly strict: boolean },
): readonly string[] {
  const described = parameters.filter(
    ({ name, upstreamName, schema }) =>
      declared.includes(name) || declared.includes(upstreamName) || isSecret(schema, root, new Set()),
  );
  const known = new Set(parameters.flatMap(({ name, upstreamName }) => [name, upstreamName]));
  const passed = strict ? [] : declared.filter((name) => !known.has(name));
  const isOpenForSecrets =
    !strict && readFurtherMembers(root).forms.some((form) => isSecret(form.schema, root, new Set()));
  const all = isOpenForSecrets ? ['*'] : [];
  return [...new Set([...described.map(({ upstreamName }) => upstreamName), ...passed, ...all])];
}

/** `seen` ends recursion, and visits every schema once however often it is referred to. */
function isSecret(schema: JsonSchema, root: JsonSchema, seen: Set<JsonSchema>): boolean {
  const target = followReference(schema, root) ?? schema;
  if (seen.has(target)) return false;
  seen.add(target);
  // Keywords beside a `$ref` count too.
  if ([schema, target].some(saysSecret)) return true;
  const isSecretPart = (part: unknown): boolean => isJsonObject(part) && isSecret(part, root, seen);
  return isSecretPart(target['items']) || ALTERNATIVES.some((keyword) => partsOf(target[keyword]).some(isSecretPart));
}

function partsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function saysSecret(schema: JsonSchema): boolean {
  return schema['writeOnly'] === true || schema['format'] === 'password';
}
