import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { formatPath } from '../../base/json/json-path.js';
import { groupBy } from '../../base/lib/collections.js';
import { toSnakeCase } from '../../base/lib/names.js';
import { cutText, escapeInvisible } from '../../base/lib/text.js';
import type { ShownChange, ShownUpdate } from '../../base/protocol/approval.js';
import { type Caller, principalOf } from '../../base/protocol/caller.js';
import type { Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { UpdatePreview } from '../../base/protocol/update-preview.js';
import type { Approval } from '../approvals/approval-queue.js';
import { isRunnerParameter } from '../audit/parameter-order.js';
import type { ApproverView, ShownArguments } from '../audit/redact.js';
import type { PolicyDecision, PolicyRequest } from '../rules/policy-types.js';
import { type IssuedToken, scopeOf, type Token, type TokenScope } from './token-types.js';

/** A call that needs agreement, and the question about it. */
export interface ConfirmationCase {
  readonly request: PolicyRequest;
  readonly decision: PolicyDecision;
  readonly scope: TokenScope;
  /** What would be done, in one sentence, with values redacted. */
  readonly message: string;
  /** Why agreement is needed. */
  readonly reasons: readonly string[];
  /** What a person is shown of an update that merges. */
  readonly update?: AskedUpdate;
  /** Where all of it is kept, for a while, which is shown in part; absent where the question shows all, and where it cannot be kept. */
  readonly whole?: string;
}

/** The agreement to a call; the token of the question is consumed. */
export interface Agreement {
  readonly token: Token;
  /** `token`, `user`, or the operator's name. */
  readonly by: string;
}

/** An update as a person is asked about it. */
interface AskedUpdate {
  readonly shown: ShownUpdate;
  /** The digest of all that would change; absent where the present state is not known. */
  readonly changes?: string;
}

/** What a token keeps of an update: an agreement is for the changes that were shown. */
export function contextOf(update: AskedUpdate | undefined): { readonly changes?: string } {
  return update?.changes === undefined ? {} : { changes: update.changes };
}

/** A case of one call. @param shown the call's arguments as an approver sees them */
export function caseOf(request: PolicyRequest, decision: PolicyDecision, shown: JsonObject): ConfirmationCase {
  const { operation } = request;
  const { reasons } = operation.classification.danger;
  return {
    request,
    decision,
    scope: scopeOf(operation, request.arguments, request.canonical),
    message: describeConsent(operation, shown),
    reasons: decision.reason === null ? reasons : [...reasons, decision.reason],
  };
}

/** The question to the caller, who confirms by sending the token back (companion document "confirmation tokens", 3.3). */
export function confirmationRequired(theCase: ConfirmationCase, issued: IssuedToken): OperationError {
  return new OperationError(
    'CONFIRMATION_REQUIRED',
    `This operation requires confirmation: '${theCase.request.operation.name}'. If it is really wanted, ${howToConfirm(theCase, issued)}`,
    describeToken(theCase, issued),
  );
}

/** The same while an operator has not decided: the token cannot be used until then. */
export function approvalPending(theCase: ConfirmationCase, issued: IssuedToken, approval: Approval): OperationError {
  const { id, status, expiresAt } = approval;
  return new OperationError(
    'CONFIRMATION_REQUIRED',
    `This operation requires confirmation by a person: '${theCase.request.operation.name}'. Request '${id}' waits for an operator; once it is approved, ${howToConfirm(theCase, issued)}`,
    { ...describeToken(theCase, issued), approval: { id, status, expires_at: expiresAt } },
  );
}

function howToConfirm({ request }: ConfirmationCase, { record: { keepsCall } }: IssuedToken): string {
  if (request.operation.passthrough !== undefined) {
    return keepsCall
      ? 'call the tool again with the arguments {"_confirmation": details.confirmation_token} alone: exactly the call shown here will run'
      : "call the tool again with the same arguments and '_confirmation' set to details.confirmation_token";
  }
  return keepsCall
    ? 'send it again with params {"_confirmation": details.confirmation_token} alone: exactly the call shown here will run'
    : "send the call again with the same params and '_confirmation' set to details.confirmation_token";
}

/** What would be done, and why it is asked about. */
export function describeCase({ request, decision, message, reasons, whole }: ConfirmationCase): JsonObject {
  return {
    operation: request.operation.name,
    danger_level: decision.danger,
    reasons,
    confirmation_message: message,
    ...(whole !== undefined && { read_whole: { operation: 'introspect', params: paramsOfWhole(whole) } }),
  };
}

function paramsOfWhole(handle: string): JsonObject {
  return { query: 'result', name: handle };
}

export function describeToken(theCase: ConfirmationCase, { token, record }: IssuedToken): JsonObject {
  return {
    ...describeCase(theCase),
    confirmation_token: token,
    expires_at: new Date(record.expiresAt).toISOString(),
    requires: theCase.decision.requires,
    ...(record.notBefore > record.issuedAt ? { not_before: new Date(record.notBefore).toISOString() } : {}),
  };
}

/** Why an answer to a question of an earlier configuration lets nothing run: that is nobody's no. */
export const OUTDATED = {
  reason: "the gateway's configuration has changed since the question was asked, so the answer does not count",
  details: { retryable: true, outcome: 'not_run' },
};

/** The refusal of a call that a person did not agree to, or whose answer has become void. */
export function consentRefused(theCase: ConfirmationCase, reason: string, details: JsonObject = {}): OperationError {
  const isVoid = reason === OUTDATED.reason;
  const { name } = theCase.request.operation;
  const code = isVoid && theCase.decision.requires === 'token' ? 'TOKEN_INVALID' : 'PERMISSION_DENIED';
  const message = isVoid
    ? `Nothing has run: ${reason}. Call '${name}' again without a token to be asked anew`
    : `Permission denied: '${reason}'`;
  return new OperationError(code, message, {
    operation: name,
    reason,
    ...details,
  });
}

/** A question fits on one screen. Where all values together do not, a longer one shows its beginning, its length and its end. */
const MAX_VALUE_LENGTH = 200;
/** Of a value that is run. */
const MAX_RUNNER_LENGTH = 1_000;
const MAX_LIST_LENGTH = 2_500;

/**
 * What the call would do, in one sentence: the operator's text with `{param}` filled in, else the operation and all its
 * parameters. Invisible characters are escaped, so that a person sees exactly what is called.
 * @param args as an approver sees them, the most important first
 */
export function describeConsent(operation: Operation, args: JsonObject): string {
  const { confirmationMessage: template, name, upstream, classification } = operation;
  if (template !== undefined) return fillIn(template, args);
  const { level } = classification.danger;
  const list = listParameters(operation, args);
  return `Run '${name}' (${level}) on upstream '${upstream}' with ${list}?`;
}

/** As many parameters as fit, under the names that callers use, and how many do not. */
function listParameters(operation: Operation, args: JsonObject): string {
  const whole = writeParameters(operation, args).join(', ');
  if (whole === '') return 'no parameters';
  if (whole.length <= MAX_LIST_LENGTH) return whole;
  const given = writeParameters(operation, args, (name) =>
    isRunnerParameter(operation, name) ? MAX_RUNNER_LENGTH : MAX_VALUE_LENGTH,
  );
  let length = 0;
  const fits = given.filter((text) => {
    length += text.length + 2;
    return length <= MAX_LIST_LENGTH;
  });
  const left = given.length - fits.length;
  return left === 0 ? fits.join(', ') : `${fits.join(', ')} and ${left} more parameters, not shown here`;
}

function writeParameters(
  { scope: { byUpstreamName } }: Operation,
  args: JsonObject,
  limitOf: (upstreamName: string) => number = () => MAX_LIST_LENGTH,
): readonly string[] {
  return Object.entries(args).map(([upstreamName, value]) => {
    const key = byUpstreamName.get(upstreamName)?.name ?? upstreamName;
    return `${cut(escapeInvisible(key), MAX_VALUE_LENGTH)} = ${show(value, limitOf(upstreamName))}`;
  });
}

/** All that is asked about as JSON, where the question cannot show it from beginning to end; undefined where it does. */
export function wholeOf(
  { request: { operation }, update }: ConfirmationCase,
  { parameters, full }: ShownArguments,
): string | undefined {
  const fits = full === undefined && writeParameters(operation, parameters).join(', ').length <= MAX_LIST_LENGTH;
  const shown = update?.shown;
  if (fits && (shown?.known !== true || fitsScreen(shown))) return undefined;
  return JSON.stringify({ parameters: full ?? parameters, ...(shown?.known === true && { update: shown }) });
}

function fitsScreen({ changes, more }: Extract<ShownUpdate, { known: true }>): boolean {
  const isShort = (value: unknown): boolean => show(value, MAX_CHANGES_LENGTH).length <= MAX_CHANGED_VALUE;
  const isWhole = changes.every(({ before, after }) => isShort(before) && isShort(after));
  return more === 0 && isWhole && changes.map(describeChange).join(', ').length <= MAX_CHANGES_LENGTH;
}

/** The same for the client's user, with what an update changes, the reasons for the question and the caller. */
export function describeQuestion({ request, message, reasons, update, whole }: ConfirmationCase): string {
  const what = update === undefined ? '' : `${describeUpdate(update.shown)} `;
  const why = reasons.length === 0 ? '' : `Why you are asked: ${reasons.map(escapeInvisible).join('; ')}. `;
  // What is said of all the operations of a list does not stand in the line of the last.
  const separator = message.includes('\n') ? '\n' : ' ';
  const rest = whole === undefined ? '' : `All of it: introspect ${JSON.stringify(paramsOfWhole(whole))}. `;
  return `${message}${separator}${what}${rest}${why}Asked by ${describeCaller(request.caller)}.`;
}

/** Of all changes together, in characters; the first one is always shown. */
const MAX_CHANGES_LENGTH = 1_500;
const MAX_CHANGED_VALUE = 120;

function describeUpdate(update: ShownUpdate): string {
  if (!update.known) return `The present values are not known: ${show(update.why, MAX_LIST_LENGTH)}.`;
  if (update.changes.length === 0) return 'It would change nothing: the present values are the same.';
  let length = 0;
  const fits = update.changes.map(describeChange).filter((text, index) => {
    length += text.length + 2;
    return index === 0 || length <= MAX_CHANGES_LENGTH;
  });
  const left = update.changes.length + update.more - fits.length;
  const more = left === 0 ? '' : ` and ${left} more values, not shown here`;
  return `It would change ${fits.join(', ')}${more}.`;
}

function describeChange(change: ShownChange): string {
  const field = escapeInvisible(change.field);
  const [before, after] = [change.before, change.after].map((value) => show(value, MAX_CHANGED_VALUE));
  if (!('before' in change)) return `${field}, where nothing is, to ${after}`;
  return 'after' in change ? `${field} from ${before} to ${after}` : `${field} from ${before} to nothing`;
}

function describeCaller(caller: Caller): string {
  const label = show(caller.clientName);
  const principal = principalOf(caller);
  return principal === undefined
    ? `a client calling itself ${label}`
    : `${principal.kind} '${principal.name}' (${label})`;
}

/** Fills in `{repo}` by either spelling; a placeholder that names no parameter stays as it is. */
function fillIn(template: string, args: JsonObject): string {
  return template.replace(/\{([^{}]{1,100})\}/g, (whole, name: string) => {
    const key = Object.keys(args).find((each) => each === name || toSnakeCase(each) === name);
    return key === undefined ? whole : show(args[key]);
  });
}

function show(value: unknown, limit = MAX_VALUE_LENGTH): string {
  const text = typeof value === 'string' ? quote(value) : (JSON.stringify(value) ?? 'nothing');
  return cut(escapeInvisible(text), limit);
}

const ESCAPES: Readonly<Record<string, string>> = { "'": "\\'", '\\': '\\\\', '\n': '\\n', '\t': '\\t' };

/** Quotes a value, so that no value can look like the next one or like the gateway's own text. */
function quote(text: string): string {
  return `'${text.replace(/['\\\n\t]/g, (sign) => ESCAPES[sign] ?? sign)}'`;
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = Math.floor(length / 4);
  return `${text.slice(0, length - tail)}... (${text.length} characters) ...${text.slice(-tail)}`;
}

/** Changes that are shown, and characters of one's place and of a reason. */
const MOST_CHANGES = 200;
const LONGEST_FIELD = 300;
const LONGEST_REASON = 500;

/**
 * What a person is shown of an update. The whole of each state is copied without secrets, since what stands around a value may say
 * that it is one; changes are looked up in the copies, and were found in the states themselves.
 */
export function showUpdate(operation: Operation, preview: UpdatePreview, view: ApproverView): ShownUpdate {
  if (!preview.known) return { known: false, why: cutText(preview.why, LONGEST_REASON) };
  const { read, before, after, changes } = preview;
  const changed = new Set(changes.flatMap(({ path }) => path.slice(0, 1)));
  const old = copyWhole(
    operation,
    pick(before, (name) => changed.has(name)),
    view,
  );
  const now = copyWhole(
    operation,
    pick(after, (name) => changed.has(name)),
    view,
  );
  // What does not change is copied first: it is shown in fewer characters.
  const ordered = { ...pick(after, (name) => !changed.has(name)), ...pick(after, (name) => changed.has(name)) };
  const { parameters } = view(operation, ordered);
  const shown = changes.slice(0, MOST_CHANGES).map(({ path, ...values }): ShownChange => {
    const [from, to] = [findIn(old, path), findIn(now, path)];
    const place = 'before' in values ? from.place : to.place;
    return {
      field: cutText(formatPath(place), LONGEST_FIELD),
      ...('before' in values && { before: from.value }),
      ...('after' in values && { after: to.value }),
    };
  });
  const paths = changes.map(({ path }) => path);
  return {
    known: true,
    read,
    changes: shown,
    more: changes.length - shown.length,
    unchanged: without(parameters, paths),
  };
}

function copyWhole(operation: Operation, state: JsonObject, view: ApproverView): JsonObject {
  const { parameters, full = parameters } = view(operation, state);
  return full;
}

function pick(state: JsonObject, isMeant: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(state).filter(([name]) => isMeant(name)));
}

interface Found {
  /** The path, as far as the copy shows it. */
  readonly place: readonly string[];
  readonly value: unknown;
}

/** In place of what a copy leaves out. */
const LEFT_OUT = '...';

/** A value in a copy; what hides it where an object around it is hidden as a whole. */
function findIn(copy: JsonObject, path: readonly string[]): Found {
  let value: unknown = copy;
  for (const [depth, name] of path.entries()) {
    if (!isJsonObject(value)) return { place: path.slice(0, depth), value };
    if (!Object.hasOwn(value, name)) return { place: [...path.slice(0, depth), LEFT_OUT], value: LEFT_OUT };
    value = value[name];
  }
  return { place: path, value };
}

/** A value without the members at these paths. */
function without(value: JsonObject, paths: readonly (readonly string[])[]): JsonObject {
  const below = groupBy(paths, ([name]) => name);
  const members = Object.entries(value).flatMap(([name, member]): readonly [string, unknown][] => {
    const gone = below.get(name)?.map(([, ...rest]) => rest);
    if (gone === undefined) return [[name, member]];
    if (!isJsonObject(member) || gone.some((path) => path.length === 0)) return [];
    const rest = without(member, gone);
    return Object.keys(rest).length === 0 ? [] : [[name, rest]];
  });
  return Object.fromEntries(members);
}
