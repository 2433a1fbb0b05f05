import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, SdkHttpError } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { cleanName } from '../base/lib/text.js';
import { deniesTool } from '../base/protocol/denied-tool.js';
import { LOOP_CURE } from '../base/protocol/gateway-chain.js';
import type { FailedCall } from '../base/protocol/large-answer.js';
import { OperationError } from '../base/protocol/operation-error.js';
import { type FailureCode, readFailure } from '../base/protocol/upstream-failure.js';
import { type FaultKind, findFault, UpstreamFault } from './transport/fault.js';
import { readRetryAfter } from './transport/http-headers.js';
import type { UpstreamCall } from './upstream.js';

type Translate<T> = (failure: T, call: FailedCall) => OperationError;

/**
 * The one place where a foreign failure becomes an answer. What the upstream said goes into `details.upstream_error`; what the
 * gateway knows of the machine (paths, exit codes, a server's last lines) stays in `cause`.
 */
export function translateFailure(error: unknown, call: FailedCall): OperationError {
  if (error instanceof OperationError) return error;
  const fault = findFault(error);
  if (fault !== undefined) return FAULTS[fault.kind](fault, call);
  if (error instanceof SdkHttpError) return translateHttp(error, call);
  if (error instanceof ProtocolError) return translateRpc(error, call);
  return invalidAnswer(error, call);
}

function internal({ upstream }: FailedCall, description: string, details: JsonObject, cause: unknown): OperationError {
  return new OperationError('INTERNAL_ERROR', description, { upstream, ...details }, { cause });
}

/** What becomes of a fault of the connection. `outcome` is what is known when the tool gave no answer. */
const FAULTS: Readonly<Record<FaultKind, Translate<UpstreamFault>>> = {
  lost,
  exited: lost,
  forgotten: lost,
  unresponsive: lost,
  outgrown: lost,
  command: unavailable,
  unavailable,
  stopped,
  full,
  busy,
  timeout: (fault, call) =>
    internal(
      call,
      fault.undelivered
        ? `The server '${call.upstream}' is busy and the call waited too long for its turn. It did not run: send it again later`
        : `The server '${call.upstream}' ${describeExpiry(fault)}. ${afterLoss(call)}`,
      { reason: 'timeout', ...becameOf(fault, call) },
      fault,
    ),
  cancelled: (fault, call) =>
    internal(call, 'The call was cancelled', { reason: 'cancelled', retryable: false }, fault),
  malformed: invalidAnswer,
  oversize: tooLong,
  'input-required': (fault, call) =>
    internal(
      call,
      `The tool '${call.tool}' of the server '${call.upstream}' did not finish: ${describeInput(fault)}. Give all it needs as parameters, or use another operation`,
      { reason: 'input_required', retryable: false },
      fault,
    ),
};

/** Why the tool did not get what it asked for. */
function describeInput({ input, message }: UpstreamFault): string {
  return input === undefined ? message : `${message}, and this client cannot be asked`;
}

function describeExpiry({ maxMs }: UpstreamFault): string {
  if (maxMs === undefined) return 'did not answer in time';
  return `showed progress but did not finish within ${maxMs / 1_000} s, the longest time of one call`;
}

/** Clients send again what is retryable, unasked: a call that may have run is so only where running it twice does no harm. */
function becameOf({ undelivered }: Pick<UpstreamFault, 'undelivered'>, { repeatable }: FailedCall): JsonObject {
  return undelivered ? { retryable: true, outcome: 'not_run' } : { retryable: repeatable, outcome: 'unknown' };
}

/** What the caller should know of a call whose answer was lost. */
function afterLoss({ repeatable }: FailedCall): string {
  return repeatable
    ? 'It is safe to send the call again: running it twice changes no more than running it once'
    : 'The call may or may not have run: check before you send it again';
}

/** The specified refusal of an answer that exceeds a limit (specification 4.7.5). The call itself has run. */
function tooLong(fault: UpstreamFault, call: FailedCall): OperationError {
  const limit = fault.maxBytes ?? 0;
  return new OperationError(
    'VALIDATION_PAYLOAD_TOO_LARGE',
    `Payload exceeds upstream_answer_size limit of ${limit}: the answer of upstream ${call.upstream} was longer and was not read. Ask for less, for example for a page or a shorter range`,
    { upstream: call.upstream, limit_type: 'upstream_answer_size', limit_value: limit, unit: 'bytes', outcome: 'ran' },
    { cause: fault },
  );
}

function lost(fault: UpstreamFault, call: FailedCall): OperationError {
  const { cause, undelivered } = fault;
  const isOutgrown = cause instanceof UpstreamFault && cause.kind === 'outgrown';
  const what = isOutgrown
    ? `The server '${call.upstream}' used more memory than it may and is started again. It was ended`
    : `The connection to the server '${call.upstream}' was lost`;
  const description = undelivered
    ? `${what} before the call was sent. It did not run: send it again`
    : `${what} before the answer came. ${afterLoss(call)}`;
  const reason = isOutgrown ? 'memory_limit' : 'connection_lost';
  return internal(call, description, { reason, ...becameOf(fault, call) }, fault);
}

function unavailable(fault: UpstreamFault, call: FailedCall): OperationError {
  const description = `The server '${call.upstream}' is not available now. The call did not run: send it again later`;
  const details = {
    reason: 'unavailable',
    retryable: true,
    outcome: 'not_run',
    retry_after_ms: fault.retryAfterMs ?? 0,
  };
  return internal(call, description, details, fault);
}

function stopped(fault: UpstreamFault, call: FailedCall): OperationError {
  const description = `The server '${call.upstream}' has failed too often and is not started again before an operator asks for it. The call did not run`;
  return internal(call, description, { reason: 'unavailable', retryable: false, outcome: 'not_run' }, fault);
}

function full(fault: UpstreamFault, call: FailedCall): OperationError {
  const { maxInstances = 0, freeMs = 0, retryAfterMs = 0 } = fault;
  const description = `The server '${call.upstream}' keeps each caller's state apart, and as many callers use it as the configuration allows (instances.max: ${maxInstances}). The call did not run: send it again in ${Math.ceil(retryAfterMs / 1_000)} s. A place becomes free when another session ends, or had no call for ${Math.ceil(freeMs / 1_000)} s; the operator can raise the bound`;
  const details = {
    reason: 'instances_in_use',
    retryable: true,
    outcome: 'not_run',
    max_instances: maxInstances,
    retry_after_ms: retryAfterMs,
  };
  return internal(call, description, details, fault);
}

function busy({ maxWaiting = 0, retryAfterMs = 0 }: UpstreamFault, { upstream }: FailedCall): OperationError {
  const seconds = Math.ceil(retryAfterMs / 1_000);
  return new OperationError(
    'RATE_LIMIT_EXCEEDED',
    `The server '${upstream}' is busy: ${maxWaiting} calls wait for their turn, as many as the configuration allows. The call did not run: send it again in ${seconds} s, and send fewer together`,
    { upstream, reason: 'queue_full', retryable: true, outcome: 'not_run', retry_after_seconds: seconds },
  );
}

function invalidAnswer(error: unknown, call: FailedCall): OperationError {
  const why = findFault(error)?.message ?? describeNoJson(error);
  const description = `The server '${call.upstream}' gave an answer in no form of MCP${why === undefined ? '' : `: ${why}`}. ${afterLoss(call)}`;
  return internal(call, description, { reason: 'invalid_answer', retryable: false, outcome: 'unknown' }, error);
}

/** The parser quotes what it does not take, which may be bytes. */
function describeNoJson(error: unknown): string | undefined {
  if (!(error instanceof SyntaxError)) return undefined;
  return /^[ -~]{1,200}$/.test(error.message) ? `it is no JSON: ${error.message}` : 'it is no JSON';
}

/** JSON-RPC codes that mean more than "it failed" (MCP, error handling). */
const RPC_CODES: Readonly<Record<number, FailureCode>> = {
  [ProtocolErrorCode.InvalidParams]: 'VALIDATION_INVALID_TYPE',
  [-32002]: 'NOT_FOUND_RESOURCE',
};

function translateRpc(error: ProtocolError, call: FailedCall): OperationError {
  if (error.code === ProtocolErrorCode.MissingRequiredClientCapability) return lacksAbility(error, call);
  const missing = saysMissing(error, call) ? 'NOT_FOUND_RESOURCE' : undefined;
  const known = isDenied(error, call) ? 'NOT_FOUND_OPERATION' : (missing ?? RPC_CODES[error.code]);
  // Servers report all kinds of failures as internal errors, so that the words decide.
  const said = { words: error.message, data: error.data, ...(known === undefined ? {} : { code: known }) };
  const { code, message, words, data, details: more } = readFailure(said, call);
  const details: JsonObject = { upstream: call.upstream, ...more, upstream_error: words, upstream_code: error.code };
  if (data !== undefined) details['upstream_data'] = data;
  if (code === 'INTERNAL_ERROR') Object.assign(details, { reason: 'upstream_error', retryable: false });
  return new OperationError(code, message, details, { cause: error });
}

/**
 * Whether a server says that it has no such resource. The code for that was -32002 and is -32602, which means other faults too; many
 * servers say it in words alone. https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling
 */
function saysMissing(error: ProtocolError, { tool: method }: FailedCall): boolean {
  if (error instanceof ResourceNotFoundError) return true;
  if (method !== 'resources/read' || error.code !== ProtocolErrorCode.InvalidParams) return false;
  return /not found|\bunknown (?:resource|uri)|no such|does ?n[o']t exist/i.test(error.message.slice(0, 1_000));
}

/** Codes of JSON-RPC from -32603 to -32601: MCP's own for a tool that does not exist, and those that libraries of servers have. */
const { InternalError: FIRST_CODE, MethodNotFound: LAST_CODE } = ProtocolErrorCode;

/** Whether the answer to a call, or its failure, says that the server has no such tool. */
export function isDenied(said: unknown, call: Pick<FailedParts, 'tool' | 'arguments'>): boolean {
  if (said instanceof ProtocolError)
    return said.code >= FIRST_CODE && said.code <= LAST_CODE && deniesTool(said.message, call);
  if (!isJsonObject(said) || said['isError'] !== true) return false;
  const { content } = said;
  const only: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
  return isJsonObject(only) && deniesTool(String(only['text']), call);
}

/** A server of the 2026-07-28 era says what it would ask the client for, if the client had declared that it can be asked. */
function lacksAbility(error: ProtocolError, call: FailedCall): OperationError {
  const { requiredCapabilities } = isJsonObject(error.data) ? error.data : {};
  const needed = isJsonObject(requiredCapabilities) ? Object.keys(requiredCapabilities).map(cleanName).slice(0, 5) : [];
  const what = needed.length === 0 ? 'input' : needed.join(' and ');
  return internal(
    call,
    `The tool '${call.tool}' of the server '${call.upstream}' asks the client for ${what}, which this client cannot give. Give all it needs as parameters, or use another operation`,
    { reason: 'input_required', retryable: false, upstream_code: error.code, upstream_data: error.data },
    error,
  );
}

/** The companion document "errors": an upstream's HTTP status as a code. 5xx and what is not listed is INTERNAL_ERROR. */
const HTTP_CODES: Readonly<Record<number, FailureCode>> = {
  400: 'VALIDATION_INVALID_TYPE',
  422: 'VALIDATION_INVALID_TYPE',
  401: 'PERMISSION_DENIED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND_RESOURCE',
  409: 'CONFLICT_ALREADY_EXISTS',
  429: 'RATE_LIMIT_EXCEEDED',
};

/** The beginning of a page that explains the status. */
const MAX_BODY_LENGTH = 2_000;

/** Statuses of a server that is unavailable for a moment, which proxies also give for a request that the server has begun. */
const PASSING: ReadonlySet<number> = new Set([502, 503, 504]);

/** Where the server does not say, and the longest that callers are told to wait for what it says. */
const RETRY_AFTER_SECONDS = { unknown: 1, most: 300 };

function translateHttp(error: SdkHttpError, call: FailedCall): OperationError {
  const { status } = error;
  const text = error.data['text'];
  const said = typeof text === 'string' ? text.trim().slice(0, MAX_BODY_LENGTH) : '';
  const {
    code,
    words,
    details: more,
  } = readFailure({ words: said, code: HTTP_CODES[status] ?? 'INTERNAL_ERROR' }, call);
  const { message } = readFailure({ words: `HTTP status ${status}`, code }, call);
  const details: JsonObject = { upstream: call.upstream, ...more, http_status: status };
  const announced = readRetryAfter(error.data['retryAfter'], Date.now());
  const retryAfter = announced === undefined ? undefined : Math.min(announced, RETRY_AFTER_SECONDS.most);
  if (words !== '') details['upstream_error'] = words;
  if (code === 'RATE_LIMIT_EXCEEDED') {
    details['retry_after_seconds'] = retryAfter ?? more['retry_after_seconds'] ?? RETRY_AFTER_SECONDS.unknown;
  }
  if (code !== 'INTERNAL_ERROR') return new OperationError(code, message, details, { cause: error });
  details['reason'] = 'upstream_error';
  if (!PASSING.has(status))
    return new OperationError(code, message, { ...details, retryable: false }, { cause: error });
  if (retryAfter !== undefined) details['retry_after_seconds'] = retryAfter;
  const described = { ...details, ...becameOf({ undelivered: false }, call) };
  return new OperationError(code, `${message}. ${afterLoss(call)}`, described, { cause: error });
}

const NO_ENDPOINT =
  'this URL is no MCP endpoint; if it is a server of the older SSE transport, give the URL of its event stream and "type": "sse"';

const CONNECT_STATUS: Readonly<Record<number, string>> = {
  401: 'needs credentials',
  403: 'access denied',
  404: NO_ENDPOINT,
  405: NO_ENDPOINT,
  508: `this gateway is a server of its own. ${LOOP_CURE}`,
};

/** Why connecting failed, in plain words for the operator. */
export function describeConnectFailure(error: unknown): string {
  const fault = findFault(error);
  if (fault !== undefined) return fault.message;
  if (error instanceof SdkHttpError) {
    const words = CONNECT_STATUS[error.status] ?? (error.status < 400 ? error.message : undefined);
    return words === undefined ? `HTTP ${error.status}` : `HTTP ${error.status}: ${words}`;
  }
  if (error instanceof ProtocolError) return `it refused to connect: ${error.message} (${error.code})`;
  return error instanceof Error ? withoutDump(error.message) : String(error);
}

/** What the SDK says of an answer that its schema refuses ends with the validator's whole report. */
function withoutDump(message: string): string {
  const [, method, report] = /^Invalid result for (\S+?): (\[[\s\S]*)$/.exec(message) ?? [];
  if (method === undefined || report === undefined) return message;
  const paths = [...report.matchAll(/"path": \[([^\]]*)\]/g)].map(([, path = '']) =>
    path.replace(/["\s]/g, '').replaceAll(',', '.'),
  );
  return `its answer to '${method}' is not as MCP has it: see ${[...new Set(paths)].slice(0, 5).join(', ') || 'its members'}`;
}

/** Whether an error came from the server itself, so that what was remembered of it may be wrong. */
export function isAnswer(error: unknown): boolean {
  return findFault(error) === undefined;
}

/** What a failure tells of what failed. */
export type FailedParts = Pick<UpstreamCall, 'tool' | 'retryable' | 'arguments' | 'words' | 'resource'>;

/** A call as far as the error of its failure tells of it. */
export function failedCallOf(
  upstream: string,
  { tool, retryable: repeatable, arguments: args, words = 'clean', resource }: FailedParts,
): FailedCall {
  return { upstream, tool, repeatable, arguments: args, words, resource: resource?.() };
}
