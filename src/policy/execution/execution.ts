import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { OperationError } from '../../base/protocol/operation-error.js';

/** A call that goes on without its request, or the work of an agent that reports its steps. */
const EXECUTION_KINDS = ['call', 'agent'] as const;

export type ExecutionKind = (typeof EXECUTION_KINDS)[number];

/** How far it is, with at least one member (specification, section 8.4.3). */
export interface ExecutionProgress {
  /** 0 to 100. */
  readonly percentage?: number;
  readonly current?: number;
  readonly total?: number;
  readonly message?: string;
}

/** Why it failed, as its caller reads it. */
export interface ExecutionError {
  readonly code: string;
  readonly message: string;
  readonly details?: JsonObject;
}

/** Where the answer of a call is kept, like large answers are. */
export interface KeptResult {
  /** The handle of the whole answer as JSON text. */
  readonly answer: string;
  /** The handle of the content blocks beside it. */
  readonly blocks?: string;
}

/** One execution at one moment. Each change makes a new one. */
export interface Execution {
  /** Cannot be guessed. */
  readonly id: string;
  readonly kind: ExecutionKind;
  /** Whose it is: an authenticated user's or client's, else its session's. */
  readonly owner: string;
  /** The session that began it. */
  readonly session: string;
  /** The operation's qualified name, or the agent's name. */
  readonly subject: string;
  /** The origin of what it holds, where that is more than its operation's. */
  readonly origin?: string;
  readonly status: ExecutionStatus;
  readonly supportsRetry: boolean;
  /** Milliseconds since the epoch, like all times here. */
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly progress?: ExecutionProgress;
  readonly error?: ExecutionError;
  readonly result?: KeptResult;
}

/** The states of the specification, section 8.4.1. */
export const EXECUTION_STATUSES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;

export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

/** An execution as callers read it (specification, section 8.4.3). */
interface ExecutionState {
  readonly execution_id: string;
  readonly status: ExecutionStatus;
  readonly operation?: string;
  readonly agent?: string;
  readonly started_at?: string;
  readonly finished_at?: string;
  readonly progress?: ExecutionProgress;
  readonly error?: ExecutionError;
}

export function describeExecution(execution: Execution): ExecutionState {
  const { id, kind, status, subject, startedAt, finishedAt, progress, error } = execution;
  return {
    execution_id: id,
    status,
    ...(kind === 'agent' ? { agent: subject } : { operation: subject }),
    ...(startedAt === undefined ? {} : { started_at: new Date(startedAt).toISOString() }),
    ...(finishedAt === undefined ? {} : { finished_at: new Date(finishedAt).toISOString() }),
    ...(progress === undefined ? {} : { progress }),
    ...(error === undefined ? {} : { error }),
  };
}

/** Encrypts what comes with errors: of a program that has stopped, the token that it goes on with. Bound to a place. */
export interface DetailsSealer {
  seal(value: JsonObject, place: string): string;
  /** Undefined for what was sealed with another key or for another place. */
  open(sealed: unknown, place: string): JsonObject | undefined;
}

const placeOf = (id: string): string => `execution ${id}`;

/** An execution as the store keeps it. */
export function writeExecution({ id, ...rest }: Execution, sealer?: DetailsSealer): JsonObject {
  const { error } = rest;
  if (sealer === undefined || error?.details === undefined) return { ...rest };
  const { details, ...plain } = error;
  return { ...rest, error: { ...plain, sealed: sealer.seal(details, placeOf(id)) } };
}

/** Undefined for a record that another version has written, and that this one does not know. */
export function readExecution(id: string, value: JsonObject, sealer?: DetailsSealer): Execution | undefined {
  const { owner, session, subject, createdAt } = value;
  const kind = EXECUTION_KINDS.find((each) => each === value['kind']);
  const status = EXECUTION_STATUSES.find((each) => each === value['status']);
  if (kind === undefined || status === undefined) return undefined;
  if (typeof owner !== 'string' || typeof session !== 'string' || typeof subject !== 'string') return undefined;
  if (typeof createdAt !== 'number') return undefined;
  const { startedAt, finishedAt, origin } = value;
  const progress = readProgress(value['progress']);
  const error = readError(value['error'], (sealed) => sealer?.open(sealed, placeOf(id)));
  const result = readResult(value['result']);
  return {
    id,
    kind,
    owner,
    session,
    subject,
    status,
    // What it ran is known to its own gateway alone, so that no other one can run it again.
    supportsRetry: false,
    createdAt,
    ...(typeof origin === 'string' ? { origin } : {}),
    ...(typeof startedAt === 'number' ? { startedAt } : {}),
    ...(typeof finishedAt === 'number' ? { finishedAt } : {}),
    ...(progress === undefined ? {} : { progress }),
    ...(error === undefined ? {} : { error }),
    ...(result === undefined ? {} : { result }),
  };
}

function readResult(value: unknown): KeptResult | undefined {
  if (!isJsonObject(value) || typeof value['answer'] !== 'string') return undefined;
  const { answer, blocks } = value;
  return { answer, ...(typeof blocks === 'string' ? { blocks } : {}) };
}

function readProgress(value: unknown): ExecutionProgress | undefined {
  return isJsonObject(value) ? progressOf(value) : undefined;
}

function readError(value: unknown, open: (sealed: unknown) => JsonObject | undefined): ExecutionError | undefined {
  if (!isJsonObject(value)) return undefined;
  const { code, message, sealed, details = open(sealed) } = value;
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return { code, message, ...(isJsonObject(details) ? { details } : {}) };
}

/** The members that are well formed; undefined where none is. A `current` without its `total` says nothing. */
function progressOf({ percentage, current, total, message }: JsonObject): ExecutionProgress | undefined {
  const isCounted = typeof current === 'number' && typeof total === 'number';
  const progress: ExecutionProgress = {
    ...(typeof percentage === 'number' ? { percentage } : {}),
    ...(isCounted ? { current, total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
  return Object.keys(progress).length === 0 ? undefined : progress;
}

const LONGEST_MESSAGE = 500;

/** What an upstream reports, in the words of the specification. */
export function readUpdate(update: {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}): ExecutionProgress {
  const { progress: current, total } = update;
  const isCounted = total !== undefined && total > 0;
  const message = update.message?.slice(0, LONGEST_MESSAGE) ?? (isCounted ? undefined : `Step ${current}`);
  return {
    ...(isCounted ? { percentage: percentageOf(current, total), current, total } : {}),
    ...(message === undefined ? {} : { message }),
  };
}

function percentageOf(current: number, total: number): number {
  return Math.min(100, Math.max(0, Math.round((100 * current) / total)));
}

/** What each state may become (section 8.4.2), and nothing else. The specification's diagram draws failed to cancelled, its list does not. */
const NEXT: Readonly<Record<ExecutionStatus, readonly ExecutionStatus[]>> = {
  pending: ['running', 'cancelled'],
  running: ['completed', 'failed', 'cancelled'],
  completed: [],
  failed: ['running'],
  cancelled: [],
};

/** Whether it has ended. A failed execution may run again where it supports that; no other end is ever left. */
export function isEnded(status: ExecutionStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Where an execution stands. */
interface Standing {
  readonly id: string;
  readonly status: ExecutionStatus;
  readonly supportsRetry: boolean;
}

/** Throws where the execution may not take this state now. */
export function requireTransition({ id, status, supportsRetry }: Standing, to: ExecutionStatus): void {
  const isRetry = status === 'failed' && to === 'running';
  if (NEXT[status].includes(to) && (supportsRetry || !isRetry)) return;
  const from = EXECUTION_STATUSES.filter((each) => NEXT[each].includes(to) && (supportsRetry || each !== 'failed'));
  const reason = isRetry ? ', and it cannot be run again' : '';
  throw new OperationError(
    'CONFLICT_INVALID_STATE',
    `Execution '${id}' is '${status}' and cannot become '${to}'${reason}. ${isEnded(status) ? 'It has ended' : "Read it with 'get_execution_status'"}`,
    { execution_id: id, status, allowed_from: from },
  );
}
