import type { JsonSchema } from '../../../base/json/json.js';
import type { Operation } from '../../../base/protocol/operation.js';
import { EXECUTION_STATUSES } from '../../../policy/execution/execution.js';
import { createOwnOperation, type OwnOperationDraft } from '../own-operation.js';

/** Clients give up on a request after a minute. */
export const MOST_WAIT_SECONDS = 50;

const TEXT: JsonSchema = { type: 'string' };

/** The specification's state object (section 8.4.3), with the answer of what has completed. */
const STATE: JsonSchema = {
  type: 'object',
  properties: {
    execution_id: TEXT,
    status: { type: 'string', enum: [...EXECUTION_STATUSES] },
    operation: TEXT,
    started_at: TEXT,
    finished_at: TEXT,
    progress: {
      type: 'object',
      properties: {
        percentage: { type: 'number' },
        current: { type: 'number' },
        total: { type: 'number' },
        message: TEXT,
      },
    },
    error: { type: 'object', properties: { code: TEXT, message: TEXT, details: { type: 'object' } } },
    result: {
      type: 'object',
      description: 'The answer that the call would have had, as sent: success, data, warnings',
    },
  },
  required: ['execution_id', 'status'],
};

const EXECUTION_ID: JsonSchema = { type: 'string', minLength: 1, description: 'As the call was answered with' };

/** Callers reach their own executions alone, and what runs again passes policy again: no confirmation is worth its cost. */
function own(name: string, draft: Omit<OwnOperationDraft, 'name' | 'danger'>): Operation {
  return createOwnOperation({ ...draft, name, danger: draft.category === 'READ' ? 'safe' : 'reversible' });
}

export const getExecutionStatus = own('get_execution_status', {
  category: 'READ',
  reason: "reads the state of one of the caller's own executions",
  description:
    'State, progress and, once completed, the result of a call that goes on in the background. Any READ or EXECUTE call ' +
    'goes on so when it is sent with "_execution": {"background": true} beside its params',
  parameters: {
    execution_id: EXECUTION_ID,
    wait_seconds: {
      type: 'number',
      minimum: 0,
      maximum: MOST_WAIT_SECONDS,
      default: 0,
      description: 'How long to wait for its end before answering',
    },
  },
  required: ['execution_id'],
  output: STATE,
});

export const listExecutions = own('list_executions', {
  category: 'READ',
  reason: "lists the caller's own executions",
  description: 'Your executions, the newest first, without their results',
  parameters: {
    status: { type: 'string', enum: [...EXECUTION_STATUSES], description: 'Those in this state only' },
    first: { type: 'integer', minimum: 1, maximum: 500, default: 50, description: 'The most that are listed' },
  },
  required: [],
  output: {
    type: 'object',
    properties: { executions: { type: 'array', items: STATE }, total: { type: 'integer' } },
  },
});

export const cancelExecution = own('cancel_execution', {
  category: 'EXECUTE',
  reason: "ends one of the caller's own calls; what its server has done by then stays done",
  description: 'Cancel a pending or running execution. Its server is asked to stop; what it answers later is dropped',
  parameters: { execution_id: EXECUTION_ID },
  required: ['execution_id'],
  output: STATE,
});

export const retryExecution = own('retry_execution', {
  category: 'EXECUTE',
  reason: "sends one of the caller's own failed calls again, through policy, where its operation may safely run twice",
  description:
    'Run a failed execution again, where its operation only reads or its server declares it idempotent. Policy and budgets apply anew',
  parameters: { execution_id: EXECUTION_ID },
  required: ['execution_id'],
  output: STATE,
});

/** The operations over executions, in the order in which they are listed. */
export const EXECUTION_OPERATIONS: readonly Operation[] = [
  getExecutionStatus,
  listExecutions,
  cancelExecution,
  retryExecution,
];
