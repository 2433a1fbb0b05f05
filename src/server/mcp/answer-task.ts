import type { JsonObject } from '../../base/json/json.js';
import { type AskAbilities, canBeAsked, NO_ABILITIES } from '../../base/protocol/ask.js';
import type { RawCall } from '../../base/protocol/call.js';
import type { UserChannel } from '../../base/protocol/consent.js';
import { extensionOf } from '../../base/protocol/extensions.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { okReply, type Reply } from '../../base/protocol/result.js';
import { isTerminal, RELATED_TASK, TASKS_EXTENSION } from '../../base/protocol/tasks.js';
import { withMeta } from '../../gateway/gateway.js';
import type { Peer, Responder } from './calls-in-flight.js';
import type { ClientTask, ClientTasks } from './client-tasks.js';
import type { OpenQuestions } from './elicitation.js';
import { readConsent, writeConsentParams } from './elicitation-form.js';
import type { ParkedCalls } from './parked-calls.js';
import type { Attempt, ParkableCall, ResumableCall } from './resumable-call.js';
import type { Era } from './write-result.js';

/** How often a client should ask for a task's status, in milliseconds. */
const POLL_MS = 1_000;

/** Whether a modern client knows tasks. @param capabilities that it declares with its request */
export function declaresTasks(capabilities: unknown): boolean {
  return extensionOf(capabilities, TASKS_EXTENSION) !== undefined;
}

/** The capabilities by which the gateway says that it has tasks. */
export function taskCapabilities(era: Era): JsonObject {
  if (era === 'modern') return { extensions: { [TASKS_EXTENSION]: {} } };
  return { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
}

/** What makes a task of a call of 2026-07-28, where its server does: the answer is then the task. */
export function taskMaker(tasks: ClientTasks): NonNullable<Attempt['asTask']> {
  return (call) => created(tasks.add(call), 'modern');
}

/** Runs a call as a task at once, because a client up to 2025-11-25 wants it so. */
export function beginTask(
  parked: ParkedCalls,
  call: RawCall,
  { abilities = NO_ABILITIES, wanted }: { readonly abilities?: AskAbilities | undefined; readonly wanted: JsonObject },
  handle: (call: RawCall) => Promise<Reply>,
): Promise<Reply> {
  const { ask: _ask, user, ...rest } = call;
  if (!parked.tasks.hasRoom(call.caller)) return Promise.resolve(tooMany());
  const asTask = (running: ResumableCall): Reply | undefined =>
    created(parked.tasks.add(running, wanted['ttl']), 'legacy');
  return parked.begin(call, abilities, { ...call, asTask }, ({ ask, ...parts }) => {
    parts.onTask?.();
    const asking = canBeAsked(abilities) ? { ask } : {};
    return handle({ ...rest, ...parts, ...asking, ...(user === undefined ? {} : { user: confirmOver(ask) }) });
  });
}

/** The gateway's own question waits like those of servers until the client fetches the result. */
function confirmOver(ask: ParkableCall['ask']): UserChannel {
  return {
    kind: 'live',
    async ask(question, cancellation) {
      const params = writeConsentParams(question);
      const answer = readConsent(await ask.ask({ method: 'elicitation/create', params }, cancellation));
      if (answer === undefined) throw new Error('the client could not ask its user');
      return answer;
    },
  };
}

function created(task: ClientTask | undefined, era: Era): Reply | undefined {
  return task === undefined ? undefined : { ...okReply({}), task: describe(task, era) };
}

function describe(task: ClientTask, era: Era): JsonObject {
  const { id, createdAt, endedAt = createdAt, ttlMs, call } = task;
  // Up to 2025-11-25 a task whose tool says that it failed has failed.
  const status =
    era === 'legacy' && task.status === 'completed' && task.reply?.isError === true ? 'failed' : task.status;
  return {
    taskId: id,
    status,
    ...(call.words === undefined || isTerminal(status) ? {} : { statusMessage: call.words }),
    createdAt,
    lastUpdatedAt: endedAt,
    ...(era === 'legacy' ? { ttl: ttlMs, pollInterval: POLL_MS } : { ttlMs, pollIntervalMs: POLL_MS }),
  };
}

/** One request about tasks. */
interface TaskRequest {
  readonly era: Era;
  readonly method: string;
  readonly params: JsonObject;
}

interface TaskAnswererDeps {
  readonly tasks: ClientTasks;
  readonly questions: OpenQuestions;
}

/** Answers `tasks/*`; the result is that of the method, and of `tasks/result` that of the call. */
export function createTaskAnswerer({
  tasks,
  questions,
}: TaskAnswererDeps): (request: TaskRequest, peer: Peer, responder: Responder) => Promise<Reply> {
  /** Resolves when the call has ended or nothing waits for this; meanwhile its questions go to the client on this request. */
  const waitForEnd = async ({ call }: ClientTask, peer: Peer, responder: Responder): Promise<void> => {
    const left = new Promise<void>((resolve) => responder.cancellation.onCancel(resolve));
    const channel = questions.askChannel(peer, responder);
    const asked = new Set<string>();
    while (call.ended === undefined && !responder.cancellation.cancelled) {
      const changed = call.changed();
      for (const [key, question] of call.questions) {
        if (asked.has(key)) continue;
        asked.add(key);
        const answered = channel?.ask(question, responder.cancellation);
        answered?.then(
          (answer) => call.answer({ [key]: answer }),
          // It stays open for another request, or until the task ends.
          () => asked.delete(key),
        );
      }
      await Promise.race([changed, left]);
    }
  };
  const fetchResult = async (task: ClientTask, peer: Peer, responder: Responder): Promise<Reply> => {
    await waitForEnd(task, peer, responder);
    if (task.status === 'cancelled') return wrong('The task was cancelled, so that it has no result', 'taskId');
    const reply = await task.call.ended;
    return reply === undefined ? unknownTask() : withMeta(reply, { [RELATED_TASK]: { taskId: task.id } });
  };
  /** With the result of a call that has ended, or the error in which it did, and the questions of one that waits. */
  const detail = (task: ClientTask): Reply => {
    const { reply, call, failure } = task;
    if (task.status === 'failed') return okReply({ ...describe(task, 'modern'), error: failure });
    const questions = task.status === 'input_required' ? { inputRequests: Object.fromEntries(call.questions) } : {};
    const state = okReply({ ...describe(task, 'modern'), ...questions });
    return reply === undefined || task.status === 'cancelled' ? state : { ...state, ended: reply };
  };

  return async ({ era, method, params }, peer, responder) => {
    const { caller } = peer;
    if (method === 'tasks/list') {
      return okReply({ tasks: tasks.list(caller.sessionId).map((task) => describe(task, era)) });
    }
    const task = tasks.find(params['taskId'], caller);
    if (task === undefined) return unknownTask();
    if (method === 'tasks/result') return fetchResult(task, peer, responder);
    if (method === 'tasks/update') task.call.answer(params['inputResponses']);
    if (method === 'tasks/cancel' && !task.cancel('the client cancelled the task') && era === 'legacy') {
      return wrong(`The task has ended already: it is '${task.status}'`, 'taskId');
    }
    if (era === 'legacy') return okReply(describe(task, era));
    return method === 'tasks/get' ? detail(task) : okReply({});
  };
}

function wrong(message: string, parameter: string): Reply {
  return refusal(new OperationError('VALIDATION_INVALID_VALUE', message, { param_name: parameter }));
}

function unknownTask(): Reply {
  const message = 'There is no such task: it is of another session, was kept as long as it may be, or never was';
  return refusal(new OperationError('NOT_FOUND_RESOURCE', message, { resource_type: 'task' }));
}

function tooMany(): Reply {
  const message =
    'There are as many tasks as there may be. Call without a task, or wait until one is not kept any more';
  return refusal(new OperationError('RATE_LIMIT_EXCEEDED', message));
}

function refusal(error: OperationError): Reply {
  return {
    ...okReply({}),
    text: JSON.stringify(error.toFailure()),
    isError: true,
    code: error.code,
    protocolError: 'task',
  };
}
