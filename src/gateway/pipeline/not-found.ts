import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { isSpeltLike, toSnakeCase } from '../../base/lib/names.js';
import { echoName, quoteValues } from '../../base/lib/text.js';
import { dangerRank, type Operation } from '../../base/protocol/operation.js';
import { NothingFound, OperationError } from '../../base/protocol/operation-error.js';
import { describeAbsence } from '../../base/protocol/tools.js';
import { findValidExample, readGiven } from '../../catalog/arguments/example-params.js';
import { withPlaceholders } from '../../catalog/arguments/placeholders.js';
import type { WithheldTool } from '../../catalog/integrity/guard-tools.js';
import { withNotHere } from './not-here.js';
import type { Snapshot } from './snapshot.js';

/** MCP allows a tool's name 128 characters, and the name of its upstream stands before it. */
const LONGEST_NAME = 256;

/** The answer to an unknown name: what was probably meant, and where to call it. */
export async function unknownOperation(name: string, given: JsonObject, snapshot: Snapshot): Promise<OperationError> {
  // Nothing is called so, and comparing it with what there is takes time that grows with the square of its length.
  if (name.length > LONGEST_NAME) return notFound(echoName(name), LIST_OPERATIONS, [], undefined, snapshot);
  const resolution = snapshot.catalog.resolve(name);
  const params = isJsonObject(given['params']) ? given['params'] : given;
  switch (resolution.kind) {
    case 'found':
      return notFound(
        name,
        `Call operation '${resolution.operation.name}' via '${snapshot.plan.toolFor(resolution.operation)}'`,
        [resolution.operation],
        params,
        snapshot,
      );
    case 'ambiguous':
      return sharedName(name, resolution.candidates, snapshot);
    case 'waiting':
      return notFound(
        name,
        `Until every upstream has listed its operations, use the qualified names: ${quoteNames(resolution.candidates)}`,
        resolution.candidates,
        undefined,
        snapshot,
      );
    case 'held':
      return ownerWithoutIt(name, resolution.owner, resolution.candidates, snapshot);
    case 'absent':
      return notOfUpstream(name, resolution.upstream, resolution.nearest, params, snapshot);
    case 'unknown-upstream':
      return unknownUpstream(name, resolution.prefix, resolution.nearest);
    case 'reserved':
      return reservedName(name);
    case 'raw-name':
      return notFound(
        name,
        `${isOwnSpelling(name, resolution.candidates) ? "This is the upstream's own name; the" : 'The'} operation is called ${quoteNames(resolution.candidates)}`,
        resolution.candidates,
        params,
        snapshot,
      );
    case 'grouped':
      return groupedTool(name, resolution.candidates, params, snapshot);
    case 'quarantined':
      return quarantined(name, resolution.tool);
    case 'unknown':
      return nothingNamed(name, resolution.nearest, params, snapshot);
  }
}

/** The same in words, for who asks what a name means. */
export async function explainUnknown(name: string, snapshot: Snapshot): Promise<string> {
  return withNotHere(await unknownOperation(name, {}, snapshot), snapshot).message;
}

const LIST_OPERATIONS = 'List the operations with introspect: {"query": "operations"}';

/** How many operations are suggested by what they do. */
const MOST_FOUND = 3;

/** Suggests operations with a similar spelling; where there are none, those that a search by meaning finds. */
async function nothingNamed(
  name: string,
  similar: readonly Operation[],
  params: JsonObject,
  snapshot: Snapshot,
): Promise<OperationError> {
  const nearest = similar.filter(snapshot.isCallable);
  if (!nearest.some((operation) => isSpeltLike(name, operation.name))) {
    const found = (await snapshot.search(name, MOST_FOUND)).hits
      .map(({ operation }) => operation)
      .filter(snapshot.isCallable);
    // No example: these operations only do something similar, and a caller would take an example for the intended call.
    if (found.length > 0)
      return notFound(name, `Nearest in meaning: ${quoteNames(found)}`, found, undefined, snapshot, NothingFound);
  }
  const nextStep = nearest.length > 0 ? `Did you mean ${quoteNames(nearest)}?` : LIST_OPERATIONS;
  return notFound(name, nextStep, nearest, params, snapshot, NothingFound);
}

/**
 * The answer to a bare name of several upstreams, or of one that shared it with others when it was first seen. No example: it would
 * choose an upstream.
 */
function sharedName(name: string, candidates: readonly Operation[], snapshot: Snapshot): OperationError {
  const why = candidates.length > 1 ? `Several upstreams offer '${name}'` : `Several upstreams have offered '${name}'`;
  const nextStep = `${why}; use ${candidates.length > 1 ? 'one of the qualified names' : 'the qualified name'}: ${quoteNames(candidates)}`;
  return notFound(name, nextStep, candidates, undefined, snapshot);
}

/** The answer to a bare name whose owner does not offer it now. No example: another upstream's operation is another thing. */
function ownerWithoutIt(name: string, owner: string, others: readonly Operation[], snapshot: Snapshot): OperationError {
  const absence = hasOperations(owner, snapshot) ? undefined : reachOwner(name, owner, snapshot);
  if (absence !== undefined) return absence;
  const offered = others.length === 0 ? '' : `. Others offer it as ${quoteNames(others)}`;
  const nextStep = `The name belongs to upstream '${owner}', which does not offer it now${offered}`;
  return notFound(name, nextStep, others, undefined, snapshot);
}

/** The answer to a name that is qualified with a configured upstream: only that upstream's operations are suggested. */
function notOfUpstream(
  name: string,
  upstream: string,
  similar: readonly Operation[],
  params: JsonObject,
  snapshot: Snapshot,
): OperationError {
  const absence = hasOperations(upstream, snapshot) ? undefined : reachOwner(name, upstream, snapshot);
  if (absence !== undefined) return absence;
  const nearest = similar.filter(snapshot.isCallable);
  const listing = `List its operations with introspect: {"query": "operations", "upstream": "${upstream}"}`;
  const nextStep = nearest.length > 0 ? `Did you mean ${quoteNames(nearest)}?` : listing;
  return notFound(name, `Upstream '${upstream}' offers no such operation. ${nextStep}`, nearest, params, snapshot);
}

function hasOperations(upstream: string, { catalog }: Snapshot): boolean {
  return catalog.operations.some((operation) => operation.upstream === upstream);
}

/** The answer for an upstream that is not connected and whose operations are not known; undefined where it is connected. */
function reachOwner(name: string, upstream: string, { connections }: Snapshot): OperationError | undefined {
  const absence = connections.absenceOf(upstream);
  if (absence === undefined) return undefined;
  if (absence.refusal !== undefined) return absence.refusal;
  if (absence.stopped !== undefined) {
    const message = `Unknown operation: '${name}'. Upstream '${upstream}' ${describeAbsence(absence)}`;
    return new OperationError('NOT_FOUND_OPERATION', message, { operation: name, upstream, available: [] });
  }
  connections.retryNow(upstream);
  const message = `The server '${upstream}' ${describeAbsence(absence)}. The call did not run: send it again later`;
  return new OperationError('INTERNAL_ERROR', message, {
    upstream,
    reason: 'unavailable',
    retryable: true,
    outcome: 'not_run',
    retry_after_ms: absence.retryAfterMs,
  });
}

/** The answer to a name that is qualified with no upstream: the next step is another upstream, never its operation. */
function unknownUpstream(name: string, prefix: string, upstreams: readonly string[]): OperationError {
  const known = upstreams.length === 0 ? 'There is none' : `Use one of: ${quoteValues(upstreams)}`;
  const message = `Unknown operation: '${name}'. No upstream is called '${prefix}'. ${known}`;
  return new NothingFound('NOT_FOUND_OPERATION', message, { operation: name, available: [], upstreams });
}

/** The answer to a name that the protocol keeps. An upstream's tool of that name is another thing, so it is not suggested. */
function reservedName(name: string): OperationError {
  const message = `Unknown operation: '${name}'. The name is reserved by the protocol (specification 8.5.4), and this gateway does not offer the operation: see '_protocol.capabilities' of introspect`;
  return new OperationError('NOT_FOUND_OPERATION', message, { operation: name, available: [] });
}

/** Whether the name is the tool's own, alone or behind its upstream's. */
function isOwnSpelling(name: string, operations: readonly Operation[]): boolean {
  return operations.every(
    ({ tool }) => name === tool || ['_', '.', ':', '/'].some((mark) => name.endsWith(mark + tool)),
  );
}

/** The answer to the name of a tool that is offered in parts: the intended part, where the call says which. */
function groupedTool(name: string, parts: readonly Operation[], given: JsonObject, snapshot: Snapshot): OperationError {
  const chosen = choosePart(parts, given);
  const listed = parts.map((part) => `'${part.name}' (${Object.values(part.fixedArguments ?? {}).join(', ')})`);
  const choice = `It is offered as one operation for each '${parts[0]?.groupedBy ?? ''}': ${listed.join(', ')}`;
  const meant = chosen?.meant === true ? `Call '${chosen.operation.name}'. ` : '';
  const others = parts.filter((part) => part !== chosen?.operation);
  const candidates = chosen === undefined ? others : [chosen.operation, ...others];
  return notFound(name, meant + choice, candidates, chosen?.params ?? given, snapshot);
}

/** A model cannot solve this, so the message says what an operator does. */
export function quarantined(name: string, { upstream, tool, kind, acceptance }: WithheldTool): OperationError {
  const why = kind === 'new' ? 'is new and has not been accepted' : 'has changed since it was accepted';
  const message = `Permission denied: '${name}' is quarantined: tool '${tool}' of '${upstream}' ${why}. An operator reviews it with 'mcp-aql-gateway lock' and accepts it with 'mcp-aql-gateway lock --accept ${acceptance}'`;
  return new OperationError('PERMISSION_DENIED', message, { operation: name, upstream, tool, reason: 'quarantined' });
}

function notFound(
  name: string,
  nextStep: string,
  candidates: readonly Operation[],
  params: JsonObject | undefined,
  snapshot: Snapshot,
  Refusal: typeof OperationError = OperationError,
): OperationError {
  const [best] = candidates;
  return new Refusal('NOT_FOUND_OPERATION', `Unknown operation: '${name}'. ${nextStep}`, {
    operation: name,
    available: candidates.map((operation) => operation.name),
    candidates: candidates.map((operation) => ({
      operation: operation.name,
      endpoint: snapshot.plan.familyOf(operation).name,
      tool: snapshot.plan.toolFor(operation),
      ...(operation.fixedArguments === undefined ? {} : { fixed: operation.fixedArguments }),
    })),
    ...(best === undefined || params === undefined || isShared(best, candidates)
      ? {}
      : { example: correctedExample(snapshot, best, params) }),
  });
}

/** Whether others offer a tool of the same name: an example of one would choose its upstream, and callers send examples back unread. */
function isShared({ upstream, tool }: Operation, candidates: readonly Operation[]): boolean {
  return candidates.some((other) => other.upstream !== upstream && isSame(other.tool, tool));
}

function quoteNames(operations: readonly Operation[]): string {
  return operations.map((operation) => `'${operation.name}'`).join(', ');
}

/** A correct request, which a model can send at once. */
export interface CorrectedExample {
  readonly tool: string;
  /** `{operation, params}`; of a tool that is passed through its own. */
  readonly arguments: JsonObject;
  /** What of the caller's values is not in it, and why. */
  readonly note?: string;
}

/** The call of an operation with these parameters, through the MCP tool that takes it. */
export function exampleOf(
  { plan }: Pick<Snapshot, 'plan'>,
  operation: Operation,
  params: JsonObject,
): CorrectedExample {
  const { name, passthrough } = operation;
  const tool = plan.toolFor(operation);
  const shown = withPlaceholders(operation, params);
  return { tool, arguments: passthrough === undefined ? { operation: name, params: shown } : shown };
}

/** The parameters in an example. */
export function paramsOfExample(operation: Operation, { arguments: args }: CorrectedExample): JsonObject {
  if (operation.passthrough !== undefined) return args;
  return isJsonObject(args['params']) ? args['params'] : {};
}

/** The longest example worth its tokens, in characters of JSON; a longer one is replaced by placeholders only. */
const MAX_EXAMPLE_LENGTH = 1_500;

/**
 * An example call of the operation that keeps what the caller already got right; undefined where none was found that would
 * be accepted. What is no READ is shown with placeholders for the rest: callers may send an example back unread.
 */
export function correctedExample(
  snapshot: Snapshot,
  operation: Operation,
  given: JsonObject,
): CorrectedExample | undefined {
  const kept = findValidExample(operation, given);
  const isShort = kept !== undefined && JSON.stringify(kept).length <= MAX_EXAMPLE_LENGTH;
  const params = isShort ? kept : findValidExample(operation);
  if (params === undefined) return undefined;
  const { usable, inexact } = readGiven(operation, given);
  const isRead = operation.classification.category === 'READ';
  const shown = isRead ? params : withPlaceholders(operation, params, (each) => !(isShort && usable.has(each)));
  const note = `${quoteValues(inexact)}: a number of more digits than can be sent exactly, where this tool takes no text`;
  return { ...exampleOf(snapshot, operation, shown), ...(inexact.length > 0 && { note }) };
}

/** The part of a grouped tool that a call meant, and its parameters without the one that chose the part. */
interface ChosenPart {
  readonly operation: Operation;
  readonly params: JsonObject;
  /** Whether the caller named the part; otherwise it is the least dangerous one. */
  readonly meant: boolean;
}

/** Finds the part whose fixed argument the caller gave; undefined where there are no parts. */
export function choosePart(parts: readonly Operation[], given: JsonObject): ChosenPart | undefined {
  const input = isJsonObject(given['input']) ? given['input'] : {};
  const named = parts.find((part) => gives(given, part) || gives(input, part));
  // Callers may send an example back unread, so it is the least dangerous part.
  const operation = named ?? parts.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
  if (operation === undefined) return undefined;
  const kept = withoutFixed(given, operation);
  const params = isJsonObject(given['input']) ? { ...kept, input: withoutFixed(input, operation) } : kept;
  return { operation, params, meant: named !== undefined };
}

function gives(members: JsonObject, { fixedArguments = {} }: Operation): boolean {
  return Object.entries(fixedArguments).every(([name, value]) =>
    firstMembers(members).some(([key, given]) => isSame(key, name) && isSame(String(given), String(value))),
  );
}

/** A call that was meant says so among its first members. */
const MOST_MEMBERS = 100;

function firstMembers(members: JsonObject): readonly (readonly [name: string, value: unknown])[] {
  return Object.keys(members)
    .slice(0, MOST_MEMBERS)
    .map((name) => [name, members[name]]);
}

function withoutFixed(members: JsonObject, { fixedArguments = {} }: Operation): JsonObject {
  const isFixed = (key: string): boolean => Object.keys(fixedArguments).some((name) => isSame(key, name));
  return Object.fromEntries(Object.entries(members).filter(([key]) => !isFixed(key)));
}

function isSame(given: string, name: string): boolean {
  return given === name || toSnakeCase(given) === toSnakeCase(name);
}

function rankOf({ classification }: Operation): number {
  return dangerRank(classification.danger.level);
}
