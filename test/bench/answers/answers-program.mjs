// What it costs to look at answers, in a process of its own that is told over IPC what to do.
import { answerParent } from '../process/answer-parent.mjs';
import { askRows } from './ask-rows.mjs';
import { askSmall } from './ask-small.mjs';
import { openAnswers } from './open-answers.mjs';

let rows;
let small;

answerParent({
  /** @returns what is wrong with the answers, in words */
  async open(build) {
    const openPass = await openAnswers(build);
    rows = askRows(openPass);
    small = askSmall(openPass);
    return await rows.probe();
  },
  measureRows: (effort) => rows.measure(effort),
  measureSmall: (effort) => small.measure(effort),
});
