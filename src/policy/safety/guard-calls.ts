import { digest } from '../../base/json/canonical-json.js';
import { GATEWAY_SOURCE, type Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { SafetyLoopConfig } from '../../config/safety-config.js';
import type { Gatekeeper, Permit, PolicyRequest } from '../rules/policy-types.js';
import { restrictionOn } from './evaluate-step.js';
import { deniedToAgents, noAgent, reportedElsewhere, unreported } from './refusals.js';
import { type Grant, grantOf, MOST_PENDING, type Run, type Runs } from './runs.js';
import type { SafetyLoop } from './safety-loop.js';

interface GuardDeps {
  readonly config: Pick<SafetyLoopConfig, 'mode' | 'freeReads' | 'requireAgent'>;
  readonly loop: SafetyLoop;
  readonly runs: Runs;
  /** The agents of a session that run in other gateways, by name; absent where a session stays with one gateway. */
  readonly runningElsewhere?: (sessionId: string) => Promise<readonly string[]>;
  readonly now?: () => number;
}

/** Own operations that a blocked client may still call: the way out, and the end of what it began. */
const OPEN_TO_BLOCKED: ReadonlySet<string> = new Set(['verify_challenge', 'cancel_execution']);

/**
 * A gatekeeper that also knows of agents: while one runs in a session, its calls pass only where the last step that it reported covers them, and what
 * policy asks to confirm is noted for it. Of a client that is blocked nothing passes.
 */
export function guardCalls(gatekeeper: Gatekeeper, deps: GuardDeps): Gatekeeper {
  const { config, loop, runs, runningElsewhere, now = Date.now } = deps;
  /** Own operations that reach no server. */
  const isOpen = ({ name, upstream, primitive, classification: { category } }: Operation): boolean =>
    upstream === GATEWAY_SOURCE && primitive === undefined && (category === 'READ' || OPEN_TO_BLOCKED.has(name));
  /** What an agent may call without a report, unless a pattern of its own stands for it. */
  const isFree = (operation: Operation, sessionId: string): boolean => {
    const { category, danger } = operation.classification;
    if (!config.freeReads || category !== 'READ' || danger.level !== 'safe') return false;
    return runs.ofSession(sessionId).every(({ patterns }) => restrictionOn(operation, patterns) === undefined);
  };

  const admitCovered = async (request: PolicyRequest): Promise<Permit> => {
    const { operation, caller, isCovered } = request;
    // Before policy: nothing of a blocked client is brought before a person.
    await loop.requireUnblocked(caller);
    if (operation.upstream === GATEWAY_SOURCE || isCovered === true || isFree(operation, caller.sessionId))
      return gatekeeper.admit(request);
    const [elsewhere] =
      runs.ofSession(caller.sessionId).length > 0 ? [] : ((await runningElsewhere?.(caller.sessionId)) ?? []);
    if (elsewhere !== undefined) throw reportedElsewhere(operation.name, elsewhere);
    if (config.requireAgent && runs.ofSession(caller.sessionId).length === 0) throw noAgent(operation.name);
    const taken = takeGrant(runs, operation, caller.sessionId);
    try {
      return await gatekeeper.admit(request);
    } catch (refusal) {
      // What did not run was not the step.
      if (taken !== undefined) giveBack(runs, taken.run, taken.grant);
      throw refusal;
    }
  };

  const admit = (request: PolicyRequest): Permit | Promise<Permit> => {
    const { operation, caller } = request;
    const isGuarded = config.mode === 'enforcing' && !isOpen(operation);
    if (!isGuarded && runs.ofSession(caller.sessionId).length === 0) return gatekeeper.admit(request);
    return notePending(isGuarded ? admitCovered(request) : admitNow(gatekeeper, request), request, runs, now);
  };
  return { ...gatekeeper, admit };
}

async function admitNow(gatekeeper: Gatekeeper, request: PolicyRequest): Promise<Permit> {
  return gatekeeper.admit(request);
}

/** Takes what a reported step allows, which is good for one call. Throws where agents run and no step of theirs covers the call. */
function takeGrant(
  runs: Runs,
  operation: Operation,
  session: string,
): { readonly run: Run; readonly grant: Grant } | undefined {
  const running = runs.ofSession(session);
  const [first] = running;
  if (first === undefined) return undefined;
  for (const { agent, patterns } of running) {
    const restriction = restrictionOn(operation, patterns);
    if (restriction?.list === 'deny') throw deniedToAgents(operation.name, agent, restriction.pattern);
  }
  for (const run of running) {
    const grant = grantOf(run, operation);
    if (grant === undefined) continue;
    runs.set({ ...run, granted: run.granted.filter((each) => each !== grant) });
    return { run, grant };
  }
  throw unreported(operation.name, first);
}

/** Only while the step is still the last one. */
function giveBack(runs: Runs, { execution, steps }: Run, grant: Grant): void {
  const now = runs.get(execution);
  if (now?.steps === steps) runs.set({ ...now, granted: [...now.granted, grant] });
}

/** Notes for the agents of a session what policy asks to confirm, and that it runs in the end. */
async function notePending(
  admitting: Promise<Permit>,
  { operation, caller }: PolicyRequest,
  runs: Runs,
  now: () => number,
): Promise<Permit> {
  try {
    const permit = await admitting;
    for (const run of runs.ofSession(caller.sessionId)) {
      const pending = run.pending.filter((each) => each.operation !== operation.name);
      if (pending.length < run.pending.length) runs.set({ ...run, pending });
    }
    return permit;
  } catch (refusal) {
    const token = questionOf(refusal);
    if (token !== undefined) {
      const { level, reasons } = operation.classification.danger;
      const notice = {
        operation: operation.name,
        level,
        reason: reasons.join('; '),
        token: digest(token),
        since: now(),
      };
      for (const run of runs.ofSession(caller.sessionId)) {
        const others = run.pending.filter((each) => each.operation !== operation.name);
        runs.set({ ...run, pending: [...others, notice].slice(-MOST_PENDING) });
      }
    }
    throw refusal;
  }
}

/** The token of a question; undefined where a call failed in another way. */
function questionOf(refusal: unknown): string | undefined {
  if (!(refusal instanceof OperationError) || refusal.code !== 'CONFIRMATION_REQUIRED') return undefined;
  const token = refusal.details['confirmation_token'];
  return typeof token === 'string' ? token : '';
}
