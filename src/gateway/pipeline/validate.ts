import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { compileGlob, matchGlobs } from '../../base/lib/glob.js';
import { createSuggester } from '../../base/lib/names.js';
import { quoteValues } from '../../base/lib/text.js';
import type { Caller, RawCall } from '../../base/protocol/call.js';
import type { Operation, Parameter } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { bindArguments, checkArguments, type UnknownInside } from '../../catalog/arguments/bind-arguments.js';
import { moveIntoInput } from '../../catalog/arguments/flat-update.js';
import { withPlaceholders } from '../../catalog/arguments/placeholders.js';
import { dryRunNameOf, operationOfCall } from '../../catalog/operation.js';
import type { ClientConfig } from '../../config/access-config.js';
import { type Gatekeeper, isConfirmable } from '../../policy/rules/policy-types.js';
import { pushFirst } from '../../results/pages/push-first.js';
import {
  CONTROLS,
  type CollectionQuery,
  type ControlSet,
  type ResultService,
} from '../../results/query/result-types.js';
import type { Fault } from '../../schema/explain-violations.js';
import { type RoutedCall, settleOperation } from './decode.js';
import { IF_MATCH, PLAIN_CONFIRMATION } from './directive-names.js';
import { type Directives, mayDirect, refuseMisspelt, takeDirectives } from './directives.js';
import { admitInner } from './inner-calls.js';
import { type CorrectedExample, correctedExample } from './not-found.js';
import type { Snapshot } from './snapshot.js';

/** A request whose parameters match the operation's description, in the upstream's spelling. */
export interface ValidatedCall {
  readonly raw: RawCall;
  /** As these arguments use it: with the category and danger of this call. */
  readonly operation: Operation;
  readonly arguments: JsonObject;
  /** Those of the caller, where the gateway bounds the list of the answer further. */
  readonly asked?: JsonObject;
  readonly directives: Directives;
  /** How the caller wants the answer: filtered, sorted, paged. */
  readonly query?: CollectionQuery | undefined;
  /** Fields of an update whose null was left out, as the caller writes them. */
  readonly leftOut?: readonly string[] | undefined;
  /** Arguments that the client adds to every call, and that were dropped. */
  readonly ignored?: readonly string[];
  /** Members of nested objects that no schema names; its server may ignore them. */
  readonly unknown?: readonly UnknownInside[] | undefined;
  /** Why the arguments were not checked to the end; the upstream judges them. */
  readonly unchecked?: string | undefined;
}

/**
 * Which fault gives an answer its code when there are several: an unknown name first, because a misspelt parameter is often
 * also the reason why another one is missing.
 */
const PRECEDENCE: readonly Fault['code'][] = [
  'VALIDATION_UNKNOWN_PARAM',
  'VALIDATION_UNKNOWN_FIELD',
  'VALIDATION_MISSING_PARAM',
  'VALIDATION_INVALID_TYPE',
];

/**
 * Separates the parameters by purpose (directives for policy, controls for the answer, arguments for the upstream) and binds
 * the arguments. A call is refused here for unknown, missing or malformed parameters, with all faults in one answer.
 */
export function validate(
  call: RoutedCall,
  snapshot: Snapshot,
  results: Pick<ResultService, 'takeControls' | 'controlsOf'>,
  gatekeeper: Pick<Gatekeeper, 'staticDecision'>,
  dropIgnored: DropIgnored,
): ValidatedCall {
  const { raw, operation } = call;
  const confirmable = (): boolean => mayBeAsked(operation, gatekeeper);
  const directives = mayDirect(call.params)
    ? takeDirectives(operation, call.params, confirmable)
    : { params: call.params };
  if (raw.arguments !== call.params && isJsonObject(raw.arguments) && mayDirect(raw.arguments))
    refuseMisspelt(operation, raw.arguments);
  const controlled = results.takeControls(operation, directives.params);
  const { query, refusal } = controlled;
  const { params, ignored } = dropIgnored(operation, controlled.params, raw.caller);
  const bound = bindParameters(operation, params, snapshot);
  if (bound.ok && refusal?.error !== undefined) throw refusal.error;
  if (!bound.ok || refusal !== undefined) {
    const accepted = { controls: results.controlsOf(operation), confirmable: confirmable() };
    const faults = [...(bound.ok ? [] : bound.faults), ...(refusal?.faults ?? [])];
    throw describeFaults(faults, { ...call, params }, snapshot, accepted, call.params);
  }
  const narrowed =
    operation.primitive === undefined ? undefined : snapshot.targets?.narrow(operation, bound.arguments, raw.caller);
  const args = narrowed?.arguments ?? bound.arguments;
  const used = narrowed?.operation ?? settleOperation(call, args, snapshot);
  if (raw.within !== undefined) admitInner(raw.within, used);
  // Who agrees to a call agrees to the arguments that the caller gave.
  const isPlain = query === undefined || confirmable();
  const pushed = isPlain
    ? undefined
    : pushFirst(used, {
        arguments: args,
        query,
        isList: results.controlsOf(operation).kind === 'collection',
        accepts: (changed) => checkArguments(operation, changed).length === 0,
      });
  return {
    raw,
    operation: used,
    arguments: pushed ?? args,
    ...(pushed === undefined ? {} : { asked: args }),
    directives,
    query,
    leftOut: bound.leftOut,
    ...(ignored.length === 0 ? {} : { ignored }),
    unknown: bound.unknown,
    unchecked: bound.unchecked,
  };
}

/** The upstream's arguments; an update's fields may lie beside `input` where the operator lets them. */
function bindParameters(
  operation: Operation,
  params: JsonObject,
  { plan }: Pick<Snapshot, 'plan'>,
): ReturnType<typeof bindArguments> {
  const bound = bindArguments(operation, params);
  if (bound.ok || !plan.flatUpdates) return bound;
  // What is passed on without being described may be meant as a field or as none.
  const { byName } = operation.scope;
  const isKnown = Object.keys(params).every((key) => key === 'input' || key.startsWith('_') || byName.has(key));
  return (isKnown ? moveIntoInput(operation, params)?.bound : undefined) ?? bound;
}

/** Whether calls can be asked to be confirmed: any that says what its tool does not describe can. */
export function mayBeAsked(operation: Operation, gatekeeper: Pick<Gatekeeper, 'staticDecision'>): boolean {
  return !operation.strict || isConfirmable(gatekeeper.staticDecision(operation));
}

/** What a call of the operation may say beside the operation's own parameters. */
interface Accepted {
  readonly controls: ControlSet;
  readonly confirmable: boolean;
}

function describeFaults(
  faults: readonly Fault[],
  call: RoutedCall,
  snapshot: Snapshot,
  accepted: Accepted,
  sent: JsonObject,
): OperationError {
  const main = chooseMainFault(faults);
  const { operation } = call;
  const words = describeInWords(faults, operation, accepted);
  const details = specifiedDetails(main, faults, operation, accepted);
  const next = wholeCall(snapshot, operation, call.params, sent);
  return new OperationError(main.code, next?.send === undefined ? words : `${words}. Send details.send as it is`, {
    operation: operation.name,
    ...details,
    ...(faults.length > 1 ? { faults } : {}),
    ...(next ?? { example: correctedExample(snapshot, operation, call.params) }),
  });
}

/**
 * The call to send instead of a flat update: whole, every value in it as it was sent. With a secret in it, it is an example only, as answers
 * are kept in transcripts. Undefined for every other call.
 */
function wholeCall(
  { plan }: Pick<Snapshot, 'plan'>,
  operation: Operation,
  params: JsonObject,
  sent: JsonObject,
): { readonly send?: CorrectedExample; readonly example?: CorrectedExample } | undefined {
  const moved = moveIntoInput(operation, params);
  if (moved === undefined) return undefined;
  const ofCall = Object.entries(sent).filter(([key]) => !Object.hasOwn(params, key));
  const whole = { ...Object.fromEntries(ofCall), ...moved.params };
  const tool = plan.toolFor(operationOfCall(operation, moved.bound.arguments));
  const call = (given: JsonObject): CorrectedExample => ({
    tool,
    arguments: { operation: operation.name, params: given },
  });
  const shown = withPlaceholders(operation, whole);
  if (isDeepStrictEqual(shown, whole)) return { send: call(whole) };
  return {
    example: { ...call(shown), note: 'Put the secrets in place of <...>: no answer repeats them' },
  };
}

/** An update without `input` is known by that, whatever lies beside it instead (specification, section 4.5.3). */
function chooseMainFault(faults: readonly Fault[]): Fault {
  const noInput = faults.find(({ code, param }) => code === 'VALIDATION_MISSING_PARAM' && param === 'input');
  if (noInput !== undefined) return noInput;
  const rank = (fault: Fault): number => {
    const position = PRECEDENCE.indexOf(fault.code);
    return position < 0 ? PRECEDENCE.length : position;
  };
  return faults.reduce((best, fault) => (rank(fault) < rank(best) ? fault : best));
}

/** One sentence a fault, unknown names first and together, with the valid list once. */
function describeInWords(faults: readonly Fault[], operation: Operation, accepted: Accepted): string {
  const { controls } = accepted;
  const unknown = faults.filter(isUnknownName);
  const others = faults.filter((fault) => !isUnknownName(fault)).map((fault) => explainOther(fault, controls));
  if (unknown.length === 0) return others.join('. ');
  const suggest = createSuggester();
  const suggestOwn = (param: string, expected: string | undefined): string | undefined =>
    expected === undefined
      ? suggest(param.replace(/^input\./, ''), [
          ...controls.names.values(),
          ...directivesOf(operation),
          ...dryRunOf(operation),
        ])
      : undefined;
  const guesses = unknown.map(({ param, nearest, expected }) => ({
    param,
    // Members of an object within a parameter have a list of their own.
    expected,
    meant: nearest ?? suggestOwn(param, expected),
  }));
  const names = guesses.map(({ param, meant, expected }) => {
    if (meant !== undefined) return `'${param}' (did you mean '${meant}'?)`;
    return expected === undefined ? `'${param}'` : `'${param}' (valid there: ${expected})`;
  });
  const own = guesses.filter(({ expected }) => expected === undefined);
  const list = listValid(
    operation,
    accepted,
    own.some(({ meant }) => meant === undefined),
  );
  const said = `Unknown parameter(s) for operation '${operation.name}': ${names.join(', ')}`;
  return [said, ...(own.length > 0 ? [list] : []), ...others].join('. ');
}

/**
 * The operation's own names, and those that shape its answer, where a name is like none of them: a caller who guesses has to see
 * that there are others.
 */
function listValid(operation: Operation, { controls, confirmable }: Accepted, isGuess: boolean): string {
  const own = [...ownNames(operation), ...(confirmable ? [PLAIN_CONFIRMATION] : [])];
  const shaping = isGuess || own.length === 0 ? [...controls.names.values()] : [];
  if (own.length === 0 && shaping.length === 0) return 'It takes no parameters';
  const first = own.length === 0 ? 'It takes none of its own' : `Valid: ${quoteValues(own)}`;
  return shaping.length === 0 ? first : `${first}; for its answer: ${quoteValues(shaping)}`;
}

/** Where a parameter has the name of a control, the message adds the control's other name for callers who meant the control. */
function explainOther({ code, param, message }: Fault, { names }: ControlSet): string {
  const control = CONTROLS.find((name) => name === param);
  const other = control === undefined ? undefined : names.get(control);
  if (code !== 'VALIDATION_INVALID_TYPE' || other === undefined || other === param) return message;
  return `${message}. The gateway's own '${param}' is called '${other}' here`;
}

/** The details that the specification names for the code. */
function specifiedDetails(main: Fault, faults: readonly Fault[], operation: Operation, accepted: Accepted): JsonObject {
  if (isUnknownName(main)) {
    const params = namesOf(faults, 'VALIDATION_UNKNOWN_PARAM');
    const fields = namesOf(faults, 'VALIDATION_UNKNOWN_FIELD');
    return {
      ...(params.length > 0 ? { unknown_params: params, valid_params: validNames(operation, accepted) } : {}),
      ...(fields.length > 0 ? { unknown_fields: fields, valid_fields: inputNames(operation) } : {}),
    };
  }
  const { param, expected, description, actual, value } = main;
  const constraint = main.code !== 'VALIDATION_MISSING_PARAM' && main.code !== 'VALIDATION_INVALID_TYPE';
  return {
    param_name: param,
    ...(expected === undefined ? {} : { [constraint ? 'constraint' : 'expected_type']: expected }),
    description,
    ...(actual === undefined || constraint ? {} : { actual_type: actual }),
    value,
  };
}

function isUnknownName(fault: Fault): boolean {
  return fault.code === 'VALIDATION_UNKNOWN_PARAM' || fault.code === 'VALIDATION_UNKNOWN_FIELD';
}

function namesOf(faults: readonly Fault[], code: Fault['code']): string[] {
  return faults.filter((fault) => fault.code === code).map((fault) => fault.param.replace(/^input\./, ''));
}

/** The names that `params` may contain: the operation's own, then the controls of its answer, then the confirmation. */
function validNames(operation: Operation, { controls, confirmable }: Accepted): string[] {
  const ofCall = [...(confirmable ? [PLAIN_CONFIRMATION] : []), ...dryRunOf(operation)];
  return [...ownNames(operation), ...controls.names.values(), ...ofCall];
}

function dryRunOf(operation: Operation): string[] {
  const name = dryRunNameOf(operation);
  return name === undefined ? [] : [name];
}

function ownNames(operation: Operation): string[] {
  const names = namesAt(operation, 'params');
  return [...names, ...(inputNames(operation).length > 0 ? ['input'] : []), ...directivesOf(operation)];
}

/** The directives that depend on the operation. */
function directivesOf({ merge, parameters }: Operation): string[] {
  const isOwn = parameters.some(({ name, upstreamName }) => name === IF_MATCH || upstreamName === IF_MATCH);
  return merge === undefined || isOwn ? [] : [IF_MATCH];
}

function inputNames(operation: Operation): string[] {
  return namesAt(operation, 'input');
}

/** An operation of ten thousand parameters is not told about by listing them. */
const MOST_LISTED = 200;

function namesAt({ parameters }: Operation, wanted: Parameter['place']): string[] {
  const names = parameters.filter(({ place }) => place === wanted).map(({ name }) => name);
  return names.slice(0, MOST_LISTED);
}

/** Takes out of a call what its client adds to every call; the names are empty where that is nothing. */
export type DropIgnored = (
  operation: Operation,
  params: JsonObject,
  caller: Caller,
) => { readonly params: JsonObject; readonly ignored: readonly string[] };

const NONE_IGNORED: readonly string[] = [];

/** Names that an operation has are its own parameters, whoever calls. */
export function createDropIgnored(clients: readonly ClientConfig[]): DropIgnored {
  const globs = new Map(
    clients.flatMap(({ name, ignoreArguments }) =>
      ignoreArguments === undefined ? [] : [[name, ignoreArguments.map(compileGlob)] as const],
    ),
  );
  return ({ scope }, params, { client }) => {
    const patterns = client === undefined ? undefined : globs.get(client);
    if (patterns === undefined) return { params, ignored: NONE_IGNORED };
    const isIgnored = (key: string): boolean =>
      !scope.byName.has(key) && key !== 'input' && matchGlobs(patterns, key) === 'yes';
    const ignored = Object.keys(params).filter(isIgnored);
    if (ignored.length === 0) return { params, ignored };
    return { params: Object.fromEntries(Object.entries(params).filter(([key]) => !isIgnored(key))), ignored };
  };
}
