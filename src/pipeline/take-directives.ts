import type { JsonObject } from '../protocol/json.js';
import type { Operation } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';

/** What the caller asks for, and the token that confirms it. */
export interface ConfirmedParams {
  readonly params: JsonObject;
  readonly confirmation?: string;
}

/** Both names appear in the specification; the first is metadata and can be no operation's own parameter. */
const METADATA_NAME = '_confirmation';
const PLAIN_NAME = 'confirmation_token';

/** Takes the confirmation token out of the parameters: it confirms the call and is no part of it. */
export function takeConfirmation(operation: Operation, params: JsonObject): ConfirmedParams {
  const plain = Object.hasOwn(params, PLAIN_NAME) && !isOwnParameter(operation);
  if (!plain && !Object.hasOwn(params, METADATA_NAME)) return { params };
  const { [METADATA_NAME]: metadata, ...others } = params;
  const { [PLAIN_NAME]: given, ...rest } = others;
  const tokens = [metadata, plain ? given : undefined].filter((token) => token !== undefined && token !== null);
  const [token] = tokens;
  if (tokens.some((each) => typeof each !== 'string')) throw notText(operation, tokens);
  if (tokens.some((each) => each !== token)) throw givenTwice(operation);
  const cleaned = plain ? rest : others;
  return typeof token === 'string' ? { params: cleaned, confirmation: token } : { params: cleaned };
}

function isOwnParameter({ parameters }: Operation): boolean {
  return parameters.some(({ name, upstreamName }) => name === PLAIN_NAME || upstreamName === PLAIN_NAME);
}

function notText(operation: Operation, tokens: readonly unknown[]): OperationError {
  const wrong = tokens.find((token) => typeof token !== 'string');
  const actual = Array.isArray(wrong) ? 'array' : typeof wrong;
  return new OperationError(
    'VALIDATION_INVALID_TYPE',
    `Parameter '${METADATA_NAME}' expected 'string', got '${actual}'. Send details.confirmation_token as it came`,
    { operation: operation.name, param_name: METADATA_NAME, expected_type: 'string', actual_type: actual },
  );
}

function givenTwice(operation: Operation): OperationError {
  return new OperationError(
    'VALIDATION_INVALID_VALUE',
    `Parameters '${METADATA_NAME}' and '${PLAIN_NAME}' hold different tokens; give one of them`,
    { operation: operation.name, param_name: METADATA_NAME },
  );
}
