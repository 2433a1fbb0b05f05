import { isSpeltLike } from '../lib/names.js';
import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';

/** A call's parameters, separated from what the caller says about the call itself. */
export interface Directives {
  readonly params: JsonObject;
  /** The token that confirms the call. */
  readonly confirmation?: string;
  /** The token that continues after a quota's pause. */
  readonly quotaContinue?: string;
  /** The state that the resource must still have; for UPDATEs that merge. */
  readonly ifMatch?: unknown;
}

/** Metadata, which can never be an operation's own parameter (specification, section 4.6.1). */
export const CONFIRMATION = '_confirmation';
export const QUOTA_CONTINUE = '_quota_continue';
/** Names of the specification that an operation may also use for a parameter; the parameter then takes precedence. */
export const PLAIN_CONFIRMATION = 'confirmation_token';
export const IF_MATCH = 'if_match';

const NAMES = [CONFIRMATION, QUOTA_CONTINUE, PLAIN_CONFIRMATION, IF_MATCH] as const;

type Name = (typeof NAMES)[number];

/**
 * Separates the directives from the parameters. Refuses a name that is near a directive and would pass for metadata.
 *
 * @param isConfirmable whether calls of the operation can require confirmation; elsewhere `confirmation_token` is an unknown parameter
 */
export function takeDirectives(operation: Operation, params: JsonObject, isConfirmable: () => boolean): Directives {
  const given = NAMES.filter((name) => Object.hasOwn(params, name) && isDirective(operation, name, isConfirmable));
  refuseMisspelt(operation, params);
  if (given.length === 0) return { params };
  const ownParams = Object.fromEntries(Object.entries(params).filter(([key]) => !given.some((name) => name === key)));
  const givenAs = (name: Name): unknown => (given.includes(name) ? (params[name] ?? undefined) : undefined);
  const confirmation = readConfirmation(operation, givenAs);
  const quotaContinue = readToken(operation, QUOTA_CONTINUE, givenAs(QUOTA_CONTINUE));
  // Null does not count as absent here: a caller who meant to send a version must not overwrite without one.
  const ifMatch = given.includes(IF_MATCH) ? params[IF_MATCH] : undefined;
  return {
    params: ownParams,
    ...(confirmation === undefined ? {} : { confirmation }),
    ...(quotaContinue === undefined ? {} : { quotaContinue }),
    ...(ifMatch === undefined ? {} : { ifMatch }),
  };
}

/** Who sends more metadata, or longer names, did not misspell a directive. */
const MOST_COMPARED = 20;
const LONGEST_MISSPELT = 40;

/** Refuses `_confirmaton` and its like: metadata that is not known is ignored, and a caller that sends a token means something. */
function refuseMisspelt({ name, parameters }: Operation, params: JsonObject): void {
  const metadata = Object.keys(params).filter((key) => key.startsWith('_') && key.length <= LONGEST_MISSPELT);
  const misspelt = metadata.slice(0, MOST_COMPARED).flatMap((key) => {
    if (key === CONFIRMATION || key === QUOTA_CONTINUE) return [];
    if (parameters.some((parameter) => parameter.upstreamName === key)) return [];
    const meant = NAMES.find((directive) => isSpeltLike(key.replace(/^_+/, ''), directive.replace(/^_/, '')));
    return meant === undefined ? [] : [{ key, meant }];
  });
  if (misspelt.length === 0) return;
  const listed = misspelt.map(({ key, meant }) => `'${key}' (did you mean '${meant}'?)`).join(', ');
  throw new OperationError('VALIDATION_UNKNOWN_PARAM', `Unknown parameter(s) for operation '${name}': ${listed}`, {
    operation: name,
    unknown_params: misspelt.map(({ key }) => key),
    valid_params: misspelt.map(({ meant }) => meant),
  });
}

function isDirective(operation: Operation, name: Name, isConfirmable: () => boolean): boolean {
  if (name.startsWith('_')) return true;
  if (name === PLAIN_CONFIRMATION && !isConfirmable()) return false;
  if (name === IF_MATCH && operation.merge === undefined) return false;
  return !operation.parameters.some((parameter) => parameter.name === name || parameter.upstreamName === name);
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
