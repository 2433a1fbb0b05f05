import { echoName } from '../../base/lib/text.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { Block } from './blocks.js';
import type { Run } from './runs.js';

/** An agent that nobody started, or that has ended. */
export function notRunning(agent: string, running: readonly Run[]): OperationError {
  const names = running.map((run) => run.agent);
  const known = names.length === 0 ? 'no agent runs in this session' : `running in this session: ${names.join(', ')}`;
  return new OperationError(
    'NOT_FOUND_RESOURCE',
    `Resource not found: running agent '${echoName(agent)}' (${known}). If it is to act, start it with 'execute_agent'; if it has ended, nothing more is to be done`,
    { resource_type: 'agent', resource_id: echoName(agent) },
  );
}

/** The execution that a caller names is not the agent's. */
export function otherExecution(agent: string, named: string, execution: string): OperationError {
  return new OperationError(
    'NOT_FOUND_RESOURCE',
    `Resource not found: execution '${echoName(named)}' of agent '${echoName(agent)}', which runs as '${execution}'`,
    { resource_type: 'execution', resource_id: echoName(named) },
  );
}

export function runsAlready({ agent, execution }: Run): OperationError {
  return new OperationError(
    'CONFLICT_ALREADY_EXISTS',
    `Agent '${agent}' runs already. Report its steps, or end it with 'complete_execution' or 'abort_execution'`,
    { resource_type: 'agent', resource_id: agent, execution_id: execution },
  );
}

/** Every operation of a blocked client's agents is refused, whatever their names (specification, section 8.8.3). */
export function agentBlocked({ agent, reason, since, challenge }: Block): OperationError {
  return new OperationError(
    'PERMISSION_DENIED',
    `Permission denied: agent '${agent}' is blocked (${reason}), and with it every agent of this client. Stop now. A person gets a code, and 'verify_challenge' with challenge '${challenge}' and this code lifts the block; an operator can lift it too`,
    { reason: 'agent_blocked', verification_id: challenge, since: new Date(since).toISOString() },
  );
}

/** What runs outside the reported steps (specification, section 8.6.5). */
export function unreported(operation: string, { agent, pause }: Run): OperationError {
  const way =
    pause === undefined
      ? `Report it first: 'record_execution_step' with element_name '${agent}' and a next_action_hint naming '${operation}' and the dangers of its parameters`
      : `The agent is paused: ${pause.reason}`;
  return new OperationError(
    'PERMISSION_DENIED',
    `Permission denied: '${operation}' is covered by no approved step of agent '${agent}', and each step covers one call. ${way}`,
    { operation, reason: 'unreported_action', element_name: agent },
  );
}

/** What a pattern of the operator stands for, whatever the agent called it in its report. */
export function deniedToAgents(operation: string, agent: string, pattern: string): OperationError {
  return new OperationError(
    'PERMISSION_DENIED',
    `Permission denied: '${pattern}' of the operator's deny matches '${operation}', so agent '${agent}' may not call it. Leave it out, or ask a person for it`,
    { operation, reason: 'denied_action', element_name: agent },
  );
}

/** Where the operator lets nothing pass outside the loop. */
export function noAgent(operation: string): OperationError {
  return new OperationError(
    'PERMISSION_DENIED',
    `Permission denied: '${operation}' is called by agents alone here, and none runs in this session. Start one with 'execute_agent', report the call with 'record_execution_step', and then call it`,
    { operation, reason: 'no_agent' },
  );
}

/** What its agent has reported is known to the gateway that runs it. */
export function reportedElsewhere(operation: string, agent: string): OperationError {
  return new OperationError(
    'PERMISSION_DENIED',
    `Permission denied: agent '${agent}' of this session runs in another gateway, which alone knows its approved steps. Send '${operation}' there, and keep a session with one gateway while an agent runs in it`,
    { operation, reason: 'unreported_action', element_name: agent },
  );
}

/** Who caused a pause cannot end it (specification, section 8.7.3). */
export function selfApproval(execution: string): OperationError {
  return new OperationError(
    'PERMISSION_DENIED',
    "Permission denied: the client whose agent was held cannot confirm it. Another authenticated client or an operator can, or a person who got the code, by 'code'",
    { reason: 'self_approval', execution_id: execution },
  );
}

export function unknownCaller(execution: string): OperationError {
  return new OperationError(
    'PERMISSION_DENIED',
    "Permission denied: only an authenticated client or an operator can confirm another client's agent",
    { reason: 'not_authenticated', execution_id: execution },
  );
}

export function nothingToConfirm(what: string): OperationError {
  return new OperationError(
    'NOT_FOUND_RESOURCE',
    `Nothing waits to be confirmed for ${what}. See the 'notifications' of the agent's last directive`,
    { resource_type: 'confirmation', resource_id: what },
  );
}

export function needsVerification(challenge: string): OperationError {
  return new OperationError(
    'PERMISSION_DENIED',
    `Permission denied: this action has to be verified with a person's code, which 'verify_challenge' takes with challenge '${challenge}'`,
    { reason: 'verification_required', verification_id: challenge },
  );
}
