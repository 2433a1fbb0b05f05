import { digest } from '../../base/json/canonical-json.js';
import type { JsonObject } from '../../base/json/json.js';
import { cleanLabel } from '../../base/lib/text.js';
import type { Caller } from '../../base/protocol/caller.js';
import { type SafetyLoopConfig, settingsOfAgent } from '../../config/safety-config.js';
import type { SafetyEvent } from '../audit/audit-event.js';
import { describeExecution, type Execution } from '../execution/execution.js';
import type { Executions } from '../execution/executions.js';
import type { Blocks } from './blocks.js';
import { type Challenge, stateOf } from './challenge.js';
import type { Challenges } from './challenges.js';
import {
  type AutonomyDirective,
  directiveOf,
  isStricter,
  NOT_EVALUATED,
  noticesFor,
  startDirective,
} from './directive.js';
import {
  compilePatterns,
  evaluateStep,
  matchStep,
  type Outcome,
  rateRisk,
  restrictionOn,
  type Verdict,
} from './evaluate-step.js';
import { type Hint, type KnownOperations, type MeantOperation, readHint, resolveHint } from './hints.js';
import { agentBlocked, notRunning, otherExecution, runsAlready } from './refusals.js';
import {
  type Agreement,
  countReport,
  covers,
  type Grant,
  type Pause,
  type Run,
  type Runs,
  resume,
  subjectOf,
} from './runs.js';
import type { SafetyRecords } from './safety-records.js';

interface SafetyLoopDeps {
  readonly config: SafetyLoopConfig;
  readonly runs: Runs;
  readonly executions: Executions;
  readonly challenges: Challenges;
  readonly blocks: Blocks;
  readonly records: SafetyRecords;
  /** A text without secrets, of bounded length. */
  readonly redact: (text: string) => string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** What an agent says when it starts. */
interface StartRequest {
  readonly agent: string;
  readonly maxAutonomousSteps?: number;
  readonly riskTolerance?: SafetyLoopConfig['riskTolerance'];
}

/** Which agent is meant. */
interface AgentRequest {
  readonly agent: string;
  /** Its execution, where the caller names it too. */
  readonly execution?: string;
}

/** What an agent reports. */
interface StepReport {
  readonly agent: string;
  readonly hint: string;
  readonly outcome?: Outcome;
}

/** The safety loop of agents (specification, sections 8.6 to 8.8): what each of its operations does. Each rejects with an `OperationError`. */
export class SafetyLoop {
  readonly #deps: SafetyLoopDeps;
  readonly #now: () => number;

  constructor(deps: SafetyLoopDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
    // Whatever ends an execution ends its agent: an operation, an operator, the end of the session.
    deps.executions.onChanged(({ id, status }) => {
      if (status !== 'pending' && status !== 'running') deps.runs.delete(id);
    });
  }

  /** Starts an agent; resolves with the state of its execution and its first directive. */
  async start(request: StartRequest, caller: Caller): Promise<JsonObject> {
    const { executions, runs, config } = this.#deps;
    await this.requireUnblocked(caller);
    const agent = cleanLabel(request.agent);
    const running = this.#find(agent, caller);
    if (running !== undefined) throw runsAlready(running);
    const settings = tighten(settingsOfAgent(config, agent), request);
    const { id } = executions.begin(caller, { kind: 'agent', subject: agent });
    const execution = executions.advance(id, 'running');
    const run: Run = {
      execution: id,
      agent,
      session: caller.sessionId,
      subject: subjectOf(caller),
      settings,
      patterns: compilePatterns(settings),
      startedAt: this.#now(),
      steps: 0,
      failures: 0,
      reported: new Map(),
      agreed: new Map(),
      granted: [],
      pending: [],
      news: [],
    };
    runs.set(run);
    this.#deps.records.event('EXECUTION_STARTED', run, caller);
    // From here on other gateways hold the session's calls too.
    await executions.written(id);
    return { ...describeExecution(execution), directive: startDirective(config.mode, settings) };
  }

  /** Judges a step before it is taken. */
  async step(report: StepReport, caller: Caller, known: KnownOperations): Promise<AutonomyDirective> {
    await this.requireUnblocked(caller);
    const { execution } = this.#require(report.agent, caller);
    return this.#deps.runs.inTurn(execution, async () => {
      // The report before this one may have blocked the agent.
      await this.requireUnblocked(caller);
      const run = this.#require(report.agent, caller);
      const step = this.#deps.redact(report.hint);
      const { outcome } = report;
      this.#deps.records.event('EXECUTION_STEP', run, caller, {
        step,
        ...(outcome === undefined ? {} : { reason: `outcome: ${outcome}` }),
      });
      if (this.#deps.config.mode === 'logging') return NOT_EVALUATED;
      return this.#judge(run, report, { caller, known, step });
    });
  }

  async #judge(
    before: Run,
    { hint: text, outcome }: StepReport,
    { caller, known, step }: StepContext,
  ): Promise<AutonomyDirective> {
    const { runs, config, blocks, executions } = this.#deps;
    const settled = await this.#settlePause(before);
    // What people are shown of the text is what counts for it; the rest of it can only restrict.
    const [said, shown] = [readHint(text), readHint(step)];
    const action = keyOfAction(said);
    const counted = countReport(settled, action, outcome === 'failure');
    const meants = await resolveHint(shown, known);
    const hidden = said.plain === shown.plain ? [] : await resolveHint(said, known);
    const opens = openedBy(meants, counted.patterns);
    const evaluated = this.#evaluate(counted, { action, texts: [said, shown], meants, hidden }, outcome);
    const verdict =
      evaluated.hold === undefined ? evaluated : { ...evaluated, factors: [...evaluated.factors, ...inWords(opens)] };
    const held =
      config.mode === 'enforcing' ? await this.#hold(counted, { verdict, action, step, caller, opens }) : counted;
    const told = held.pause === undefined ? verdict : { ...verdict, ...reasonOf(held.pause, verdict) };
    const goesOn = config.mode !== 'enforcing' || told.hold === undefined;
    const agreed = new Map(held.agreed);
    const agreement = agreed.get(action);
    if (goesOn) agreed.delete(action);
    const after: Run = { ...held, agreed, granted: goesOn ? grantedBy(verdict, opens, agreement) : [], news: [] };
    // The session may have ended meanwhile.
    if (runs.get(before.execution) !== undefined)
      runs.set({ ...after, pending: runs.get(before.execution)?.pending ?? [] });
    executions.report(after.execution, {
      current: after.steps,
      total: after.settings.maxAutonomousSteps,
      message: step,
    });
    const directive = directiveOf(config.mode, {
      verdict: told,
      stepsRemaining: after.settings.maxAutonomousSteps - after.steps,
      notifications: noticesFor(
        { ...after, pending: runs.get(before.execution)?.pending ?? [], news: held.news },
        await blocks.all(),
      ),
    });
    this.#deps.records.directive(after, directive, verdict, caller);
    return directive;
  }

  #evaluate(run: Run, { action, texts, meants, hidden }: Step, outcome: Outcome | undefined): Verdict {
    const { settings, patterns, steps, failures, reported } = run;
    const all = [...meants, ...hidden];
    const pattern = matchStep(texts, all, patterns);
    const agreed = run.agreed.get(action)?.kind;
    return evaluateStep({
      count: steps,
      maxAutonomousSteps: settings.maxAutonomousSteps,
      riskTolerance: settings.riskTolerance,
      risk: () => rateRisk(texts[0], all, { repeated: (reported.get(action) ?? 1) - 1, failures }),
      outcome,
      pattern,
      agreed,
    });
  }

  /** The run as a person's answer to its pause has left it. */
  async #settlePause(run: Run): Promise<Run> {
    const { challenges } = this.#deps;
    const { pause } = run;
    if (pause === undefined) return run;
    const challenge = await challenges.find(pause.challenge);
    const state = challenge === undefined ? 'expired' : stateOf(challenge, this.#now());
    // A blocked agent does not come here: its block is lifted.
    if (state === 'agreed' || pause.kind === 'block')
      return withNews(resume(run, agreementTo(pause, challenge)), 'A person agreed: go on', this.#now());
    // A late code lifts a pause, and the same action then gets another challenge; pauses that need no code go on.
    if (pause.kind === 'verify' && state === 'expired') {
      this.#deps.records.challenge('CHALLENGE_EXPIRED', run, pause.challenge);
      return resume(run, undefined);
    }
    if (state !== 'failed' || challenge === undefined) return run;
    const next = await challenges.renew(challenge);
    if (next === undefined) return run;
    this.#deps.records.challenge('CHALLENGE_ISSUED', run, next.id);
    return { ...run, pause: { ...pause, challenge: next.id } };
  }

  /** The run with the pause that a verdict asks for, unless a stricter one holds it already. */
  async #hold(run: Run, { verdict, action, step, caller, opens }: Held): Promise<Run> {
    const { challenges, blocks } = this.#deps;
    const { hold, reason = 'A person has to decide', factors } = verdict;
    if (hold === undefined || (run.pause !== undefined && !isStricter(hold, run.pause.kind))) return run;
    const { execution, agent, subject } = run;
    const challenge = await challenges.issue({ kind: hold, subject, agent, execution, action: step, reason, factors });
    const since = this.#now();
    this.#deps.records.challenge('CHALLENGE_ISSUED', run, challenge.id);
    if (hold === 'block') {
      await blocks.add({ subject, agent, reason, since, challenge: challenge.id });
      this.#deps.records.event('AGENT_BLOCKED', run, caller, { challenge: challenge.id, reason, step });
    }
    return { ...run, pause: { kind: hold, challenge: challenge.id, action, reason, factors, opens, since } };
  }

  /** Ends an agent that is done. */
  async complete(agent: AgentRequest, summary: string | undefined, caller: Caller): Promise<JsonObject> {
    return this.#end(agent, caller, 'EXECUTION_COMPLETED', ({ execution }) => {
      const message = summary === undefined ? undefined : this.#deps.redact(summary);
      return this.#deps.executions.advance(
        execution,
        'completed',
        message === undefined ? {} : { progress: { message } },
      );
    });
  }

  /** Ends an agent that gives up: failed where it was stopped before, else cancelled. */
  async abort(agent: AgentRequest, reason: string | undefined, caller: Caller): Promise<JsonObject> {
    const why = reason === undefined ? 'the agent was aborted' : this.#deps.redact(reason);
    return this.#end(agent, caller, 'EXECUTION_ABORTED', ({ execution, pause }) =>
      pause?.kind === 'block'
        ? this.#deps.executions.advance(execution, 'failed', {
            error: { code: 'PERMISSION_DENIED', message: pause.reason },
          })
        : this.#deps.executions.cancel(execution, why),
    );
  }

  async #end(
    { agent, execution: named }: AgentRequest,
    caller: Caller,
    event: SafetyEvent,
    end: (run: Run) => Execution,
  ): Promise<JsonObject> {
    await this.requireUnblocked(caller);
    const { execution } = this.#require(agent, caller);
    if (named !== undefined && named !== execution) throw otherExecution(agent, named, execution);
    return this.#deps.runs.inTurn(execution, async () => {
      const run = this.#require(agent, caller);
      const state = describeExecution(end(run));
      this.#deps.records.event(event, run, caller);
      await this.#deps.executions.written(execution);
      return { ...state };
    });
  }

  /** Rejects where an agent of the caller is blocked; the refusal has a challenge that can still be answered. */
  async requireUnblocked(caller: Caller): Promise<void> {
    const { blocks, challenges, config, runs } = this.#deps;
    if (config.mode !== 'enforcing') return;
    const [block] = await blocks.of(subjectOf(caller));
    if (block === undefined) return;
    const challenge = await challenges.find(block.challenge);
    if (challenge === undefined || stateOf(challenge, this.#now()) === 'open') throw agentBlocked(block);
    const next = await challenges.renew(challenge);
    if (next === undefined) throw agentBlocked(block);
    await blocks.rechallenge(block.subject, block.challenge, next.id);
    runs.rechallenge(block.challenge, next.id);
    this.#deps.records.challenge('CHALLENGE_ISSUED', next, next.id);
    throw agentBlocked({ ...block, challenge: next.id });
  }

  #find(agent: string, { sessionId }: Caller): Run | undefined {
    return this.#deps.runs.ofSession(sessionId).find((run) => run.agent === cleanLabel(agent));
  }

  #require(agent: string, caller: Caller): Run {
    const run = this.#find(agent, caller);
    if (run === undefined) throw notRunning(agent, this.#deps.runs.ofSession(caller.sessionId));
    return run;
  }
}

interface StepContext {
  readonly caller: Caller;
  readonly known: KnownOperations;
  /** What the agent will do, without secrets. */
  readonly step: string;
}

interface Held extends Omit<StepContext, 'known'> {
  readonly verdict: Verdict;
  readonly action: string;
  readonly opens: readonly MeantOperation[];
}

/** One report, as it is judged. */
interface Step {
  readonly action: string;
  /** What the agent said, and what people are shown of it. */
  readonly texts: readonly [said: Hint, shown: Hint];
  /** What the text that is shown means. */
  readonly meants: readonly MeantOperation[];
  /** What the text means that is not shown. */
  readonly hidden: readonly MeantOperation[];
}

/** What a step may open at most: what it names, and what a search supposes unless a pattern stands for it. */
function openedBy(meants: readonly MeantOperation[], patterns: Run['patterns']): readonly MeantOperation[] {
  return meants.filter(({ by, operation }) => {
    const list = restrictionOn(operation, patterns)?.list;
    return list === undefined || (by === 'named' && list === 'requiresApproval');
  });
}

/** Everything that an agreement opens, for people. */
function inWords(opens: readonly MeantOperation[]): readonly string[] {
  if (opens.length === 0) return [];
  const names = opens.map(({ operation, danger }) => `'${operation.name}' (${danger})`);
  return [`an agreement opens one call each of: ${names.join(', ')}`];
}

/**
 * An approved pattern is not rated: it lets run what the step names, and nothing that a search supposes. An agreement is to what was shown beside
 * it, whatever the text means by now.
 */
function grantedBy(
  { score }: Verdict,
  opens: readonly MeantOperation[],
  agreement: Agreement | undefined,
): readonly Grant[] {
  if (agreement === undefined) return score === undefined ? opens.filter(({ by }) => by === 'named') : opens;
  return opens
    .filter(({ operation, danger }) => agreement.opens.some((each) => covers(each, operation, danger)))
    .map((each) => ({ ...each, agreed: true }));
}

/** An agent may ask for less than its settings allow, and never for more. */
function tighten(
  settings: ReturnType<typeof settingsOfAgent>,
  { maxAutonomousSteps = settings.maxAutonomousSteps, riskTolerance = settings.riskTolerance }: StartRequest,
): typeof settings {
  const order = ['conservative', 'moderate', 'aggressive'] as const;
  const isTighter = order.indexOf(riskTolerance) < order.indexOf(settings.riskTolerance);
  return {
    ...settings,
    maxAutonomousSteps: Math.min(maxAutonomousSteps, settings.maxAutonomousSteps),
    riskTolerance: isTighter ? riskTolerance : settings.riskTolerance,
  };
}

/** Identifies an action by what its agent said of it, without case, quotes and blanks. */
function keyOfAction({ plain }: Hint): string {
  return digest(plain);
}

/** A code proves that a person has read the action. An operator who lifts a block has not agreed to what caused it. */
function agreementTo({ kind }: Pause, challenge: Challenge | undefined): Agreement['kind'] | undefined {
  if (kind === 'confirm') return 'confirm';
  return kind === 'block' && challenge?.by !== 'code' ? undefined : 'verify';
}

function withNews(run: Run, message: string, at: number): Run {
  return { ...run, news: [...run.news, { message, at }] };
}

/** What a paused agent is answered: the pause counts until it ends, whatever else the agent reports. */
function reasonOf(pause: Pause, verdict: Verdict): Pick<Verdict, 'hold' | 'reason' | 'factors'> {
  const factors = [...new Set([...verdict.factors, ...pause.factors])];
  const pending = pause.kind === 'confirm' ? '' : `. Challenge '${pause.challenge}' waits for a person's code`;
  return { hold: pause.kind, reason: `${pause.reason}${pending}`, factors };
}
