import fc from 'fast-check';
import { healAll, type Step, settingsOf, stories } from './commands.js';
import { checkBeginning, checkStep, settle } from './invariants.js';
import { type Setting, Story } from './story.js';
import { awaitUsers } from './users.js';
import { Violation } from './violation.js';
import { countStalls, RECOVERY_MS, within } from './waiting.js';

export interface LifeSettings {
  /** One for each story. */
  readonly seeds: readonly number[];
  /** The most steps of one story. */
  readonly steps: number;
  /** How many stories go on at once: most of the time they wait. */
  readonly lanes: number;
  /** Whether the other stories are told, too, after one has failed. */
  readonly isGoingOn: boolean;
  /** For how long a failed story is made shorter, in milliseconds; once for each kind of violation. */
  readonly shrinkMs: number;
  /** Kinds of steps that are left out, `beginning` (the first call) and `capabilities` (that servers have less than all). */
  readonly without: readonly string[];
  readonly log?: (text: string) => void;
}

export interface Failure {
  readonly seed: number;
  readonly kind: string;
  readonly text: string;
}

export interface Figures {
  sequences: number;
  steps: number;
  calls: number;
  faults: number;
  /** Stories that failed each time that they were told, while the machine gave this process no turns. */
  stalled: number;
  readonly failures: Failure[];
}

/** Tells stories of a gateway's life until one shows what must never be. Never rejects. */
export async function live(settings: LifeSettings): Promise<Figures> {
  const figures: Figures = { sequences: 0, steps: 0, calls: 0, faults: 0, stalled: 0, failures: [] };
  const { seeds, lanes, isGoingOn } = settings;
  const left = [...seeds];
  const lane = async (): Promise<void> => {
    while (isGoingOn || figures.failures.length === 0) {
      const seed = left.shift();
      if (seed === undefined) return;
      const failure = await tellUntilSure(seed, settings, figures);
      if (failure === undefined) continue;
      figures.failures.push(failure);
      settings.log?.(`seed ${seed}: ${failure.text}\n`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return figures;
}

/** A story is told so often where the machine has stalled when it failed. */
const TELLINGS = 3;

/** Returns how a story fails where that is no matter of the machine. */
async function tellUntilSure(seed: number, settings: LifeSettings, figures: Figures): Promise<Failure | undefined> {
  for (let told = 0; told < TELLINGS; told += 1) {
    const before = countStalls();
    const failure = await tellOne(seed, { ...settings, shrinkMs: 0 }, figures);
    if (failure === undefined) return undefined;
    if (countStalls() > before) continue;
    return settings.shrinkMs === 0 ? failure : ((await tellOne(seed, settings, figures)) ?? failure);
  }
  figures.stalled += 1;
  return undefined;
}

async function tellOne(seed: number, settings: LifeSettings, figures: Figures): Promise<Failure | undefined> {
  const { steps, without, shrinkMs } = settings;
  let found: Failure | undefined;
  let shrinksUntil = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(settingsOf(without), stories(steps, without), async (setting, commands) => {
    if (performance.now() > shrinksUntil) return;
    const problem = await tell(setting, commands as Iterable<Step>, settings, figures);
    if (problem === undefined || (found !== undefined && problem.kind !== found.kind)) return;
    if (found === undefined) {
      const isKnown = figures.failures.some(({ kind }) => kind === problem.kind);
      shrinksUntil = performance.now() + (isKnown ? 0 : shrinkMs);
    }
    found = { seed, ...problem };
    throw new Error(problem.kind);
  });
  await fc.check(property, { seed, numRuns: 1, unbiased: true });
  return found;
}

/** Tells one story to its end. Returns what was wrong. */
async function tell(
  setting: Setting,
  commands: Iterable<Step>,
  { without }: LifeSettings,
  figures: Figures,
): Promise<{ readonly kind: string; readonly text: string } | undefined> {
  const story = new Story(setting);
  let problem: unknown;
  try {
    await story.begin();
    // The server of the users can be called before it has said anything, so that readiness tells nothing of the others.
    if (!without.includes('beginning') && !setting.hasUsers) await checkBeginning(story);
    await awaitUsers(story);
    await story.enterFirst();
    await checkStep(story);
    await fc.asyncModelRun(() => ({ model: story, real: story }), commands as Iterable<fc.AsyncCommand<Story, Story>>);
    story.tell('at last every server is there and answers, and everybody waits until all is well');
    await healAll(story);
    await settle(story);
    await checkStep(story);
  } catch (error) {
    problem = error;
  }
  const ending = await endOf(story);
  problem ??= ending;
  const { steps, calls, faults } = story.counts;
  figures.sequences += 1;
  figures.steps += steps;
  figures.calls += calls;
  figures.faults += faults;
  if (problem === undefined) return undefined;
  const kind = problem instanceof Violation ? problem.kind : 'an error';
  const why = problem instanceof Violation ? problem.message : String((problem as Error).stack);
  return { kind, text: [...story.lines.map((line) => `  ${line}`), `  -> ${why}`].join('\n') };
}

/** The gateway stops in time whatever state its servers are in. */
async function endOf(story: Story): Promise<Violation | undefined> {
  try {
    const stopped = story.world.stop().then(() => true);
    if ((await within(RECOVERY_MS, stopped)) === undefined)
      return new Violation('the gateway does not stop', 'still there');
    story.checkRuns();
    return undefined;
  } catch (error) {
    return error instanceof Violation ? error : new Violation('a defect', String(error));
  } finally {
    await story.world.end();
  }
}
