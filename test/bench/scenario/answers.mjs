import { ASKED, BASELINE } from '../answers/asked.mjs';
import { measureCrowds, startAnswers } from '../answers/start-answers.mjs';
import { median, medianDifference, ratios, spread } from '../statistics.mjs';
import { openWholeCall } from './open-whole-call.mjs';

const KEPT_BYTES = 32 * 1024 * 1024;

/** What asking things of answers costs, what not asking costs, and what many big ones at once leave behind. */
export async function measureAnswers(context) {
  const { options, program, faults, progress } = context;
  const { rows, small, crowd: calls, warmUpCalls } = options.answers;
  const answers = startAnswers(program);
  if (answers === undefined) {
    progress('answers: this build cannot be measured from within');
    return undefined;
  }
  const report = ({ faults: found, ...measured }) => {
    faults.push(...found.map((fault) => `answers: ${fault}`));
    return measured;
  };
  progress(`answers: warming up; meanwhile ${calls} big results at once`);
  const [whole, crowd] = await Promise.all([
    openWholeCall(context, warmUpCalls),
    measureCrowd(program, calls, report),
    warmUp(answers, options.answers, report),
  ]);

  const rounds = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    progress(`answers: round ${round} of ${options.rounds}`);
    const { costs: byControl } = report(await answers.measureRows(rows));
    const wholeCall = await whole.measure();
    const { costs: byLooker } = report(await answers.measureSmall(small));
    rounds.push({ byControl, byLooker, wholeCall });
  }
  await Promise.all([whole.close(), answers.stop()]);
  return { rows: summarizeRows(rounds), small: summarizeSmall(rounds), crowd };
}

async function warmUp(answers, { rows, small, warmUpRepeats }, report) {
  report({ faults: await answers.open() });
  report(await answers.measureRows({ ...rows, repeats: warmUpRepeats }));
  report(await answers.measureSmall(small));
}

/** Memory alone is read, so this may run beside other work; first without result shaping. */
async function measureCrowd(program, calls, report) {
  const turns = [{ calls }, { calls, settings: { keptBytes: KEPT_BYTES } }];
  const { measured } = report(await measureCrowds(program, turns));
  const [unseen, seen] = measured;
  return { ...seen, calls, keptBytes: KEPT_BYTES, unseenResidentBytes: unseen.residentBytes };
}

/** In milliseconds of CPU a call; `ratio` is the whole call over one that passes the answer on. */
function summarizeRows(rounds) {
  const inMs = (nanoseconds) => nanoseconds / 1e6;
  const passedOn = rounds.map(({ byControl }) => inMs(median(byControl[BASELINE])));
  const asked = ASKED.filter(({ name }) => name !== BASELINE).map(({ name, label }) => {
    const added = rounds.map(({ byControl }) => inMs(medianDifference(byControl[name], byControl[BASELINE])));
    const taken = rounds.map(({ byControl }) => inMs(median(byControl[name])));
    return { name, label, added: spread(added), ratio: ratios(taken, passedOn) };
  });
  return { passedOn: spread(passedOn), asked };
}

/** In nanoseconds of CPU a call; a share is of 1. */
function summarizeSmall(rounds) {
  const wholeCalls = rounds.map(({ wholeCall }) => wholeCall);
  const addedBy = (name) => rounds.map(({ byLooker }) => medianDifference(byLooker[name], byLooker['none']));
  const added = addedBy('shaping');
  return {
    added: spread(added),
    noise: spread(addedBy('noise')),
    share: ratios(added, wholeCalls),
    wholeCall: spread(wholeCalls),
  };
}
