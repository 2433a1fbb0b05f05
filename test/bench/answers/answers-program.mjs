// What it costs to look at answers, in a process of its own that is told over IPC what to do.
import { answerParent } from '../process/answer-parent.mjs';
import { askNothing } from './ask-nothing.mjs';
import { askRows } from './ask-rows.mjs';
import { openAnswers } from './open-answers.mjs';

let rows;
let nothing;

answerParent({
  /** @returns what is wrong with the answers, in words */
  async open(build) {
    const openPass = await openAnswers(build);
    rows = askRows(openPass);
    nothing = askNothing(openPass);
    return await rows.probe();
  },
  measureRows: (effort) => rows.measure(effort),
  measureNothing: (effort) => nothing.measure(effort),
});
