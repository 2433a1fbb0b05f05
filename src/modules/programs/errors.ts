import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { OperationFailure } from '../../base/protocol/result.js';
import type { RunEnd, RunFault } from './run.js';
import type { ProgramSettings } from './settings.js';

export function missingCode(): OperationError {
  return new OperationError(
    'VALIDATION_MISSING_PARAM',
    "Missing required parameter 'code'. Expected: string (the program), or 'program_token' of one that has stopped",
    { param_name: 'code', expected_type: 'string' },
  );
}

export function tooLarge(param: 'code' | 'input', bytes: number, most: number): OperationError {
  const setting = param === 'code' ? 'programs.maxCodeBytes' : 'programs.maxInputBytes';
  return new OperationError(
    'VALIDATION_PAYLOAD_TOO_LARGE',
    `Parameter '${param}' has ${bytes} bytes, and ${most} are permitted. Nothing has run`,
    { param_name: param, actual: bytes, limit: most, setting },
  );
}

export function otherProgram(): OperationError {
  return new OperationError(
    'TOKEN_SCOPE_MISMATCH',
    "The program token is for other code or another input, so nothing has run. Send 'program_token' alone: the program is kept",
    { param_name: 'program_token' },
  );
}

export function withDryRun(): OperationError {
  return new OperationError(
    'VALIDATION_INVALID_VALUE',
    "Parameter 'dry_run' is for the first run: a program that has stopped goes on for real. Leave it out",
    { param_name: 'dry_run' },
  );
}

/** @param why what stands against another one, in words */
export function busy(why: string): OperationError {
  return new OperationError('RATE_LIMIT_EXCEEDED', `${why}. This one did not begin: send it again when one has ended`, {
    reason: 'programs',
    retryable: true,
    outcome: 'not_run',
    retry_after_seconds: 1,
  });
}

/** What a program is told that asks: what has run, the questions, and how to go on. */
export function programAsks(
  questions: readonly OperationFailure[],
  ran: JsonObject,
  { token, expiresAt }: { readonly token: string; readonly expiresAt: number },
  operation: string,
): OperationError {
  const asked = questions.map(describeQuestion);
  const words = asked.map(({ confirmation_message: message }) => String(message)).join(' ');
  const calls = asked.length === 1 ? 'a call that requires' : `${asked.length} calls that require`;
  return new OperationError(
    'CONFIRMATION_REQUIRED',
    `The program has stopped before ${calls} confirmation: ${words} ${String(ran['calls_run'])} calls have run, and do not run again. If it is really wanted, call '${operation}' with params {"program_token": details.program_token} alone`,
    { operation, asked, ...ran, program_token: token, expires_at: new Date(expiresAt).toISOString() },
  );
}

/** The question without its token, which goes with the call when the program goes on. */
function describeQuestion({ error: { message, details } }: OperationFailure): JsonObject {
  const { confirmation_token: _token, expires_at: _expires, ...rest } = isJsonObject(details) ? details : {};
  return { ...rest, confirmation_message: rest['confirmation_message'] ?? message };
}

const FAULTS: Readonly<Record<RunFault, (settings: ProgramSettings) => string>> = {
  time: ({ computeMs }) => `it computed for more than ${computeMs} ms by itself`,
  memory: ({ memoryMegabytes }) => `it needs more than ${memoryMegabytes} MB`,
  stack: () => 'its functions call each other too deeply, or a value is nested too deeply',
  result: ({ maxResultBytes }) => `it returned more than ${maxResultBytes} bytes. Return less of it`,
  stuck: () => 'it waits for a promise that nothing settles. Await calls alone',
  timeout: () => 'it took too long with its calls',
  cancelled: () => 'it was cancelled',
  failed: () => 'its engine has failed',
};

/** A program that ends without a result. It says what has run, and nothing that makes a client send it again by itself. */
export function programFailed(
  end: Exclude<RunEnd, { readonly kind: 'asked' }>,
  ran: JsonObject,
  settings: ProgramSettings,
): OperationError {
  const { why, more } =
    end.kind === 'fault' ? { why: FAULTS[end.fault](settings), more: { reason: end.fault } } : describeThrown(end.text);
  const has =
    Number(ran['calls_run']) === 0 ? 'None of its calls has run' : 'What has run stays done: see details.calls';
  return new OperationError('VALIDATION_INVALID_VALUE', `The program has failed: ${why}. ${has}`, {
    param_name: 'code',
    ...more,
    ...ran,
  });
}

/** The lines before the code in the function that the engine makes of it. */
const LINES_BEFORE = 2;

function describeThrown(text: string): { why: string; more: JsonObject } {
  const thrown = JSON.parse(text) as {
    name: string;
    message: string;
    stack: string;
    code?: unknown;
    details?: unknown;
  };
  const { name, message, stack, code, details } = thrown;
  const place = /<input>:(\d+)/.exec(stack)?.[1];
  const line = place === undefined ? undefined : Math.max(1, Number(place) - LINES_BEFORE);
  const error = { name, message, ...(code === undefined ? {} : { code, details }) };
  const where = line === undefined ? '' : ` (line ${line})`;
  return {
    why: `${name}: ${message}${where}`,
    more: { reason: 'threw', error, ...(line === undefined ? {} : { line }) },
  };
}
