import { fixed, megabytes, ratio, signedSpread, whole } from './figures.mjs';
import { renderTable } from './render-table.mjs';

/** The measurements of result shaping, as Markdown. */
export function renderAnswers({ rows, small, crowd }) {
  return [renderRows(rows), renderSmall(small), renderCrowd(crowd)].join('\n\n');
}

function renderRows({ passedOn, asked }) {
  return [
    'What is asked of an answer of 10,000 rows of 10 fields (2 MB): time over passing it on unseen ' +
      `(${fixed(passedOn.median, 1)} ms a call), and the whole call over that.`,
    '',
    renderTable(
      ['asked', 'more time, ms a call', 'call / passed on'],
      asked.map(({ label, added, ratio: over }) => [label, signedSpread(added, 1, 1), ratio(over)]),
    ),
  ].join('\n');
}

function renderSmall({ added, noise, share, wholeCall }) {
  const ofCall =
    wholeCall.median === undefined
      ? ''
      : `, ${signedSpread(share, 100, 2)} % of a whole call (HTTP -> HTTP, echo 64 B, 16 at once: ${fixed(wholeCall.median / 1000, 0)} us)`;
  return (
    `An answer of 64 B of which nothing is asked: ${signedSpread(added, 1, 0)} ns more CPU than without result shaping${ofCall}; ` +
    `the noise: ${signedSpread(noise, 1, 0)} ns.`
  );
}

function renderCrowd({ calls, keptBytes, sentBytes, heldBytes, readable, residentBytes, unseenResidentBytes }) {
  return (
    `${whole(calls)} big results at once, ${inMegabytes(sentBytes)} MB in all, \`results.keptBytes\` ${inMegabytes(keptBytes)} MB: ` +
    `${inMegabytes(heldBytes)} MB are kept, ${whole(readable)} results can be read on in; resident memory is ` +
    `${inMegabytes(residentBytes)} MB more than before (without result shaping: ${inMegabytes(unseenResidentBytes)} MB).`
  );
}

function inMegabytes(bytes) {
  return megabytes(bytes / 1024);
}
