import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { isSpeltLike } from '../../base/lib/names.js';
import type { Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { dryRunNameOf } from '../../catalog/operation.js';
import { isTokenLike } from '../../policy/confirmation/tokens.js';
import { paramsOf, readEnvelope, typeName } from './decode.js';
import {
  CONFIRMATION,
  DRY_RUN,
  EXECUTION,
  IF_MATCH,
  PLAIN_CONFIRMATION,
  PLAIN_DRY_RUN,
  QUOTA_CONTINUE,
} from './directive-names.js';

/** A call's parameters, separated from what the caller says about the call itself. */
export interface Directives {
  readonly params: JsonObject;
  /** The token that confirms the call. */
  readonly confirmation?: string | undefined;
  /** The token that continues after a quota's pause. */
  readonly quotaContinue?: string | undefined;
  /** The state that the resource must still have; for UPDATEs that merge. */
  readonly ifMatch?: unknown;
  /** Whether the call goes on in the background; where absent, the configuration says it. */
  readonly background?: boolean | undefined;
  /** Whether the caller only wants to know what the call would do. */
  readonly dryRun?: boolean | undefined;
}

/**
 * The token of a call that says nothing else: the call that was asked to be confirmed is kept under it.
 *
 * @param operation whose own parameter it may be; undefined where the request names none
 */
export function loneConfirmation(params: JsonObject, operation?: Operation): string | undefined {
  const [name, ...others] = Object.keys(params);
  if (others.length > 0 || (name !== CONFIRMATION && name !== PLAIN_CONFIRMATION)) return undefined;
  const token = params[name];
  if (typeof token !== 'string') return undefined;
  return operation === undefined || isDirective(operation, name, token, () => true) ? token : undefined;
}

/** The token of a request that says nothing else, not even its operation. */
export function loneToken(request: JsonObject): string | undefined {
  const { operation, operations } = readEnvelope(request);
  if (operation !== undefined || operations !== undefined) return undefined;
  const params = paramsOf(request);
  return params === undefined ? undefined : loneConfirmation(params);
}

const NAMES = [CONFIRMATION, QUOTA_CONTINUE, EXECUTION, DRY_RUN, PLAIN_CONFIRMATION, IF_MATCH, PLAIN_DRY_RUN] as const;

type Name = (typeof NAMES)[number];

const NO_ARGUMENTS: JsonObject = {};

/** Whether a name may be a directive, or a misspelt one. Most calls say nothing of themselves. */
export function mayDirect(said: JsonObject): boolean {
  return Object.keys(said).some(
    (key) => key.startsWith('_') || key === PLAIN_CONFIRMATION || key === IF_MATCH || key === PLAIN_DRY_RUN,
  );
}

/**
 * Separates the directives from the parameters. Refuses a name that is near a directive and would pass for metadata.
 *
 * @param isConfirmable whether calls of the operation can require confirmation; elsewhere `confirmation_token` is an unknown parameter
 */
export function takeDirectives(operation: Operation, params: JsonObject, isConfirmable: () => boolean): Directives {
  const given = NAMES.filter(
    (name) => Object.hasOwn(params, name) && isDirective(operation, name, params[name], isConfirmable),
  );
  refuseMisspelt(operation, params);
  if (given.length === 0) return { params };
  const ownParams = Object.fromEntries(Object.entries(params).filter(([key]) => !given.some((name) => name === key)));
  const givenAs = (name: Name): unknown => (given.includes(name) ? (params[name] ?? undefined) : undefined);
  const confirmation = readConfirmation(operation, givenAs);
  const quotaContinue = readToken(operation, QUOTA_CONTINUE, givenAs(QUOTA_CONTINUE));
  // Null does not count as absent here: a caller who meant to send a version must not overwrite without one.
  const ifMatch = given.includes(IF_MATCH) ? params[IF_MATCH] : undefined;
  const background = readExecution(operation, givenAs(EXECUTION));
  const dryRuns = [DRY_RUN, PLAIN_DRY_RUN] as const;
  const dryRun = dryRuns.some((name) => readDryRun(operation, name, givenAs(name))) || undefined;
  return {
    params: ownParams,
    background,
    dryRun,
    confirmation,
    quotaContinue,
    ifMatch,
  };
}

/** Who sends more metadata, or longer names, did not misspell a directive. */
const MOST_COMPARED = 20;
const LONGEST_MISSPELT = 40;

/**
 * Refuses `_confirmaton` and its like: metadata that is not known is ignored, and a caller that sends a token means something.
 *
 * @param said the parameters, or the request in which they may stand
 */
export function refuseMisspelt({ name, parameters }: Pick<Operation, 'name' | 'parameters'>, said: JsonObject): void {
  const misspelt = misspeltDirectives(said).filter(({ key }) =>
    parameters.every(({ upstreamName }) => upstreamName !== key),
  );
  if (misspelt.length === 0) return;
  const listed = misspelt.map(({ key, meant }) => `'${key}' (did you mean '${meant}'?)`).join(', ');
  throw new OperationError('VALIDATION_UNKNOWN_PARAM', `Unknown parameter(s) for operation '${name}': ${listed}`, {
    operation: name,
    unknown_params: misspelt.map(({ key }) => key),
    valid_params: misspelt.map(({ meant }) => meant),
  });
}

/** Names like metadata in a request that are near a directive, with what was probably meant. */
export function misspeltDirectives(said: JsonObject): readonly { readonly key: string; readonly meant: Name }[] {
  const metadata = Object.keys(said).filter((key) => key.startsWith('_') && key.length <= LONGEST_MISSPELT);
  return metadata.slice(0, MOST_COMPARED).flatMap((key) => {
    if (NAMES.some((name) => name === key)) return [];
    const meant = NAMES.find((directive) => isSpeltLike(key.replace(/^_+/, ''), directive.replace(/^_/, '')));
    return meant === undefined ? [] : [{ key, meant }];
  });
}

/** An operation's own parameter of that name has it; the gateway's metadata is then told by its value, which has a form of its own. */
function isDirective(operation: Operation, name: Name, value: unknown, isConfirmable: () => boolean): boolean {
  if (name === PLAIN_CONFIRMATION && !isConfirmable()) return false;
  if (name === IF_MATCH && operation.merge === undefined) return false;
  if (name === DRY_RUN && operation.passthrough !== undefined) return false;
  if (name === PLAIN_DRY_RUN) return dryRunNameOf(operation) === PLAIN_DRY_RUN;
  const isOwn = operation.parameters.some((parameter) => parameter.name === name || parameter.upstreamName === name);
  if (!isOwn) return true;
  if (name === EXECUTION) return isJsonObject(value) && typeof value['background'] === 'boolean';
  return name.startsWith('_') && typeof value === 'string' && isTokenLike(value);
}

/** Both names appear in the specification. */
function readConfirmation(operation: Operation, givenAs: (name: Name) => unknown): string | undefined {
  const [metadata, plain] = [CONFIRMATION, PLAIN_CONFIRMATION].map((name) =>
    readToken(operation, name, givenAs(name as Name)),
  );
  if (metadata !== undefined && plain !== undefined && metadata !== plain) {
    throw new OperationError(
      'VALIDATION_INVALID_VALUE',
      `Parameters '${CONFIRMATION}' and '${PLAIN_CONFIRMATION}' hold different tokens; give one of them`,
      { operation: operation.name, param_name: CONFIRMATION },
    );
  }
  return metadata ?? plain;
}

function readToken(operation: Operation, name: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  const actual = Array.isArray(value) ? 'array' : typeof value;
  throw new OperationError(
    'VALIDATION_INVALID_TYPE',
    `Parameter '${name}' expected 'string', got '${actual}'. Send the value of details.confirmation_token unchanged`,
    { operation: operation.name, param_name: name, expected_type: 'string', actual_type: actual },
  );
}

/** Whatever is no truth value is refused: a call that was meant to change nothing must not run. */
function readDryRun({ name: operation }: Operation, name: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true;
  const actual = typeName(value);
  const message = `Parameter '${name}' expected 'boolean', got '${actual}': true runs nothing, and shows the consequences`;
  throw new OperationError('VALIDATION_INVALID_TYPE', message, {
    operation,
    param_name: name,
    expected_type: 'boolean',
    actual_type: actual,
  });
}

function readExecution(operation: Operation, value: unknown): boolean | undefined {
  if (value === undefined) return undefined;
  const { background, ...others } = isJsonObject(value) ? value : NO_ARGUMENTS;
  if (typeof background === 'boolean' && Object.keys(others).length === 0) return background;
  throw new OperationError(
    'VALIDATION_INVALID_VALUE',
    `Parameter '${EXECUTION}' expected {"background": true}, to go on after the answer, or {"background": false}`,
    { operation: operation.name, param_name: EXECUTION },
  );
}
