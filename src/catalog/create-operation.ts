import type { UpstreamConfig } from '../config/gateway-config.js';
import { TRUST_LEVELS, type TrustLevel } from '../protocol/danger.js';
import { isJsonObject } from '../protocol/json.js';
import { type Classification, type Operation, type Parameter, QUALIFIER } from '../protocol/operation.js';
import type { Finding, RawTool } from '../protocol/raw-tool.js';
import { classifyTool } from './classify/classify-tool.js';
import { findGroupingParameter } from './classify/find-grouping-parameter.js';
import { cleanText } from './clean-text.js';
import type { Curation } from './curation.js';
import { describeValue } from './grouped-tools/describe-value.js';
import { narrowSchema } from './grouped-tools/narrow-schema.js';
import { readParameters } from './parameters.js';
import type { ScreenedTool } from './screen-tools.js';
import { findSensitiveParameters } from './sensitive-parameters.js';
import { splitUpdateInput } from './update-input.js';

/** The value that makes one operation of a grouped tool. */
export interface Choice {
  /** In the upstream's spelling, as is the value. */
  readonly parameter: string;
  readonly value: string;
  /** The name that says what it does, whatever it is called in the end. */
  readonly name: string;
}

/** A tool, or a part of one, with everything that is decided before its name among all others is. */
export interface DraftOperation {
  readonly upstream: UpstreamConfig;
  readonly tool: ScreenedTool;
  readonly curation: Curation;
  /** Unique within the upstream. */
  readonly localName: string;
  readonly choice?: Choice;
}

export interface CreatedOperation {
  /** Undefined where the tool is beyond reading. */
  readonly operation: Operation | undefined;
  readonly findings: readonly Finding[];
}

/**
 * What was made of each tool before, by everything else that it was made of. A catalog is built again whenever any upstream's
 * list changes, and nearly all of its tools are the same objects as before; what is not is forgotten with them.
 */
const created = new WeakMap<RawTool, Map<string, CreatedOperation>>();

/** A tool as an operation: the same object for the same input. Schemas are shared with the raw tool. Never throws. */
export function createOperation(draft: DraftOperation, name: string, ignoreAnnotations: boolean): CreatedOperation {
  const { curation, localName, choice = null, tool, upstream } = draft;
  const { slug, trust, strict, timeoutMs } = upstream;
  const key = JSON.stringify([slug, trust, strict, timeoutMs, curation, localName, choice, name, ignoreAnnotations]);
  const versions = created.get(tool.raw) ?? new Map<string, CreatedOperation>();
  created.set(tool.raw, versions);
  const operation = versions.get(key) ?? tryOperation(draft, name, ignoreAnnotations);
  versions.set(key, operation);
  return operation;
}

function tryOperation(draft: DraftOperation, name: string, ignoreAnnotations: boolean): CreatedOperation {
  try {
    return readOperation(draft, name, ignoreAnnotations);
  } catch {
    // One tool that is built to break its reader (nested a hundred thousand deep) must not take the others with it.
    const { slug: upstream } = draft.upstream;
    const tool = draft.tool.name;
    const message = `Tool '${tool}' of '${upstream}' cannot be called: its description is beyond reading`;
    return {
      operation: undefined,
      findings: [{ severity: 'warning', kind: 'tool-set-aside', upstream, tool, message }],
    };
  }
}

function readOperation(draft: DraftOperation, name: string, ignoreAnnotations: boolean): CreatedOperation {
  const { upstream, tool, curation, localName, choice } = draft;
  const { slug, trust } = upstream;
  const { raw, inputSchema } = tool;
  const classification = classifyTool({
    tool: raw,
    name: choice?.name ?? localName,
    upstream: { slug, trust },
    curation,
    ignoreAnnotations,
    ...(choice !== undefined && { groupValue: choice }),
  });
  const shown = choice === undefined ? inputSchema : narrowSchema(inputSchema, choice);
  const { parameters: flat, suffixed } = readParameters(shown, inputSchema);
  const sensitive = findSensitiveParameters(flat, curation.sensitive ?? [], {
    root: inputSchema,
    strict: upstream.strict,
  });
  const isUpdate = classification.category === 'UPDATE';
  const parameters = isUpdate ? splitInput(localName, flat, curation) : flat;
  const operation: Operation = {
    name,
    qualifiedName: `${slug}${QUALIFIER}${localName}`,
    upstream: slug,
    tool: tool.name,
    classification,
    description: describe(raw, curation, choice),
    parameters,
    identifiers: isUpdate
      ? parameters.filter(({ place }) => place === 'params').map((parameter) => parameter.name)
      : [],
    strict: upstream.strict,
    inputSchema,
    ...(isJsonObject(raw['outputSchema']) && { outputSchema: raw['outputSchema'] }),
    retryable: isRetryable(raw, classification, curation, ignoreAnnotations ? 'untested' : trust),
    timeoutMs: curation.timeoutMs ?? upstream.timeoutMs,
    ...(choice !== undefined && { fixedArguments: { [choice.parameter]: choice.value } }),
    groupedBy: findGroupingParameter(raw)?.parameter ?? null,
    ...consentOf(curation),
    ...(sensitive.length > 0 && { sensitive }),
    ...resultsOf(curation),
    ...servingOf(curation, classification),
    ...(curation.family !== undefined && { family: curation.family }),
  };
  return { operation, findings: suffixed.map((parameter) => renamedFinding(operation, parameter)) };
}

/** What the operator says of asking before the operation runs. */
function consentOf({ confirmationMessage, cooldownSeconds }: Curation): Partial<Operation> {
  return {
    ...(confirmationMessage !== undefined && { confirmationMessage }),
    ...(cooldownSeconds !== undefined && { cooldownSeconds }),
  };
}

/** Where the gateway merges, what a caller leaves out of `input` is there already. */
function splitInput(localName: string, flat: readonly Parameter[], curation: Curation): readonly Parameter[] {
  const split = splitUpdateInput(localName, flat, curation.identifiers);
  if (curation.merge === undefined) return split;
  return split.map((parameter) => (parameter.place === 'input' ? { ...parameter, required: false } : parameter));
}

/** What the gateway does about its calls beside passing them on; a pattern's word for operations of other categories is void. */
function servingOf({ cache, merge, deprecated, slowMs }: Curation, { category }: Classification): Partial<Operation> {
  return {
    ...(cache !== undefined && category === 'READ' && { cacheSeconds: cache.ttlSeconds }),
    ...(merge !== undefined && category === 'UPDATE' && { merge }),
    ...(deprecated !== undefined && { deprecated }),
    ...(slowMs !== undefined && { slowMs }),
  };
}

/** What the operator says of what it answers with. */
function resultsOf({ collection, presets, computed }: Curation): Partial<Operation> {
  return {
    ...(collection !== undefined && { collection: splitPath(collection) }),
    ...(presets !== undefined && { presets }),
    ...(computed !== undefined && { computed }),
  };
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

/** A wrong "idempotent" makes something happen twice, so the hint counts from `validated` on (decision 9). */
function isRetryable(raw: RawTool, { category }: Classification, { idempotent }: Curation, trust: TrustLevel): boolean {
  if (idempotent !== undefined) return idempotent;
  if (category === 'READ') return true;
  const annotations = isJsonObject(raw['annotations']) ? raw['annotations'] : {};
  return annotations['idempotentHint'] === true && TRUST_LEVELS.indexOf(trust) >= TRUST_LEVELS.indexOf('validated');
}

function renamedFinding({ upstream, tool, name }: Operation, parameter: Parameter): Finding {
  const message = `Parameter '${parameter.upstreamName}' of '${name}' is called '${parameter.name}': another one's spelling comes to the same name`;
  return { severity: 'info', kind: 'parameter-suffixed', upstream, tool, message };
}
