import { digest } from '../../base/json/canonical-json.js';
import type { JsonObject } from '../../base/json/json.js';
import { cleanLabel } from '../../base/lib/text.js';
import { type Caller, principalOf } from '../../base/protocol/caller.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { describeActor } from '../rules/gatekeeper.js';
import type { Blocks } from './blocks.js';
import type { Challenge } from './challenge.js';
import type { Challenges } from './challenges.js';
import { needsVerification, nothingToConfirm, selfApproval, unknownCaller } from './refusals.js';
import { type Runs, subjectOf } from './runs.js';
import type { SafetyRecords } from './safety-records.js';

interface ChallengeAnswersDeps {
  readonly runs: Runs;
  readonly challenges: Challenges;
  readonly blocks: Blocks;
  readonly records: SafetyRecords;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** What persons and other clients answer to agents that are held. Each rejects with an `OperationError`. */
export class ChallengeAnswers {
  readonly #deps: ChallengeAnswersDeps;
  readonly #now: () => number;

  constructor(deps: ChallengeAnswersDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
  }

  /** Confirms the paused action of an execution: another authenticated client does, or a person with the code. */
  async confirm(execution: string, code: string | undefined, caller: Caller): Promise<JsonObject> {
    const { challenges } = this.#deps;
    const subject = subjectOf(caller);
    const ofIt = (await challenges.open()).filter((each) => each.execution === execution);
    const waiting = ofIt.toSorted((one, other) => other.issuedAt - one.issuedAt)[0];
    if (waiting === undefined) throw nothingToConfirm(`execution '${cleanLabel(execution)}'`);
    if (waiting.kind !== 'confirm') throw needsVerification(waiting.id);
    if (code !== undefined) {
      const agreed = await this.#redeem(waiting.id, code, caller, ['confirm']);
      return { confirmed: true, execution_id: agreed.execution };
    }
    if (waiting.subject === subject) {
      this.#deps.records.challenge('REFUSED', waiting, waiting.id, {
        reason: 'self_approval',
        actor: describeActor(caller),
      });
      throw selfApproval(execution);
    }
    const principal = principalOf(caller);
    if (principal === undefined) throw unknownCaller(execution);
    const by = `${principal.kind} ${principal.name}`;
    if ((await challenges.settle(waiting.id, by)) === undefined) throw nothingToConfirm(`execution '${execution}'`);
    this.#deps.records.challenge('CONFIRMED', waiting, waiting.id, { by, actor: describeActor(caller) });
    return { confirmed: true, execution_id: execution };
  }

  /** Clears the notice of an operation that policy asks to confirm. @param token the token of that question */
  async confirmPermission(token: string, caller: Caller): Promise<JsonObject> {
    const { runs } = this.#deps;
    const wanted = digest(token);
    const run = runs.all().find(({ pending }) => pending.some((each) => each.token === wanted));
    if (run === undefined) {
      const message = 'Unknown confirmation token: no operation of a running agent waits for it';
      throw new OperationError('TOKEN_INVALID', message);
    }
    if (run.subject === subjectOf(caller)) throw selfApproval(run.execution);
    if (principalOf(caller) === undefined) throw unknownCaller(run.execution);
    const { operation } = run.pending.find((each) => each.token === wanted) ?? { operation: '' };
    const news = [...run.news, { message: `Operation '${operation}' was confirmed`, at: this.#now() }];
    runs.set({ ...run, pending: run.pending.filter((each) => each.token !== wanted), news });
    this.#deps.records.event('CONFIRMED', run, caller, { reason: `operation '${operation}'` });
    return { confirmed: true, operation };
  }

  /** Takes a person's code. */
  async verify(challenge: string, code: string, caller: Caller): Promise<JsonObject> {
    const { blocks } = this.#deps;
    const agreed = await this.#redeem(challenge, code, caller, ['verify', 'block']);
    const wasBlocked = agreed.kind === 'block';
    if (wasBlocked) {
      await blocks.lift(agreed.subject, { challenge });
      this.#deps.records.challenge('AGENT_UNBLOCKED', agreed, challenge, { by: 'code', actor: describeActor(caller) });
    }
    return { verified: true, unblocked: wasBlocked, execution_id: agreed.execution };
  }

  async #redeem(id: string, code: string, caller: Caller, kinds: readonly Challenge['kind'][]): Promise<Challenge> {
    const subject = subjectOf(caller);
    const actor = describeActor(caller);
    try {
      const agreed = await this.#deps.challenges.redeem(id, code, subject, kinds);
      this.#deps.records.challenge('CHALLENGE_VERIFIED', agreed, id, { by: 'code', actor });
      return agreed;
    } catch (failure) {
      const reason = failure instanceof OperationError ? failure.code : 'INTERNAL_ERROR';
      this.#deps.records.refusedCode(id, reason, caller);
      throw failure;
    }
  }
}
