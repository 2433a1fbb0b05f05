import type { HandlerCall, ProgramHost, RawCall } from '../../base/protocol/call.js';
import type { Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { ProgramCall, ProgramReach } from '../../base/protocol/program-call.js';
import type { Reply } from '../../base/protocol/result.js';
import { mayWrite } from '../../catalog/operation.js';
import type { BatchPolicy, Gatekeeper, PolicyRequest } from '../../policy/rules/policy-types.js';
import { isProgram } from '../builtin/programs/is-program.js';
import type { Snapshot } from './snapshot.js';

interface ProgramCallDeps {
  /** A call may begin minutes after its program: it gets the catalog of its own moment. */
  readonly current: () => Snapshot;
  /** The pipeline of a single call. */
  readonly answer: (raw: RawCall) => Promise<Reply>;
  readonly foresee: (raw: RawCall) => Promise<PolicyRequest>;
  readonly askAhead: BatchPolicy['askAhead'];
  readonly gatekeeper: Pick<Gatekeeper, 'staticDecision'>;
}

/** The way of the calls that programs make: the pipeline of every call, as for the items of a batch. */
export function createProgramHost({ current, answer, foresee, askAhead, gatekeeper }: ProgramCallDeps): ProgramHost {
  return {
    families: () => current().plan.families.map(({ name }) => name),
    reads(name) {
      const operation = typeof name === 'string' ? current().catalog.find(name) : undefined;
      return operation !== undefined && !mayWrite(operation);
    },
    send: (program, call) => answer(rawCallOf(program, call)),
    async foresee(program, call) {
      const { operation, params, arguments: args } = await foresee(rawCallOf(program, call));
      return {
        operation: operation.name,
        category: operation.classification.category,
        params: params ?? args,
        effect: gatekeeper.staticDecision(operation).effect,
      };
    },
    async askAhead(program, call) {
      try {
        const { token, details } = (await askAhead(await foresee(rawCallOf(program, call)))) ?? {};
        if (token === undefined) return undefined;
        const message = String(details?.['confirmation_message']);
        const error = new OperationError('CONFIRMATION_REQUIRED', message, { ...details, confirmation_token: token });
        return error.toFailure();
      } catch {
        // What is the matter with it is said when its turn comes.
        return undefined;
      }
    },
  };
}

/** Its answer is never cut, and budgets count what the program's caller gets of it. */
function rawCallOf({ user, ask, log, meta, trace }: HandlerCall, call: ProgramCall): RawCall {
  const { operation, params, caller, cancellation, family, readsOnly } = call;
  return {
    tool: family === undefined ? 'aql.call' : `aql.${family}`,
    arguments: { operation, params },
    caller,
    cancellation,
    answerTokens: Number.POSITIVE_INFINITY,
    delivered: false,
    within: { family, readsOnly },
    user,
    ask,
    log,
    meta,
    trace: trace?.inner('program call'),
  };
}

/**
 * Refuses a call of a program that does more than its program may, by what its arguments make of it.
 * @param operation as the call uses it
 */
export function requireWithin({ readsOnly }: ProgramReach, operation: Operation): void {
  const { name, classification } = operation;
  if (isProgram(operation)) throw denied(name, 'a program runs no programs');
  if (!readsOnly || classification.category === 'READ') return;
  throw denied(name, `this program only reads, and the call is ${classification.category}: 'run_program' may make it`);
}

function denied(operation: string, reason: string): OperationError {
  return new OperationError('PERMISSION_DENIED', `Permission denied: '${reason}'`, { operation, reason });
}
