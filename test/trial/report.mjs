import { renderTable } from '../bench/report/render-table.mjs';
import { countStable } from './session.mjs';

/** The goal of the gateway's arms. */
const MOST_REFUSALS = 2;
const MOST_CHARACTERS = 40_000;

const ARMS = { own: "the servers' own tools", semantic: 'five semantic tools', single: 'single mcp_aql' };

/** Prints what was played, and says whether the goal is met. */
export function report({ played, guesses, searches, verbose }) {
  const arms = Object.entries(played);
  print('Twelve tasks over 15 servers; tokens are o200k_base.');
  print(
    renderTable(
      ['arm', 'definitions', 'tokens', 'calls', 'confirmations', 'refusals', 'characters', 'tokens of answers'],
      arms.map(([name, arm]) => [
        ARMS[name],
        inEnglish(arm.definitions.length),
        inEnglish(countStable(arm.definitions)),
        arm.calls,
        arm.confirmations,
        arm.refusals.length,
        inEnglish(arm.characters),
        inEnglish(arm.tokens),
      ]),
    ),
  );
  print(
    renderTable(
      ['task', ...arms.map(([name]) => `${name}: calls, characters`), 'refusals'],
      played.semantic.rows.map(({ title, refusals }, index) => [
        title,
        ...arms.map(([, { rows }]) => describeRow(rows[index])),
        refusals.join(', ') || '-',
      ]),
    ),
  );
  print(
    renderTable(
      ['wrong first guess', 'what came back', 'characters'],
      guesses.map(({ title, outcome, isRight, characters }) => [
        title,
        isRight ? outcome : `NOT CORRECTED: ${outcome}`,
        characters,
      ]),
    ),
  );
  if (verbose) for (const { title, text } of guesses) print(`${title}\n${text}`);
  print(
    renderTable(
      ['search', 'shown', 'of', 'characters', 'misses'],
      searches.map(({ words, shown, total, characters, missing }) => [
        words,
        shown,
        total,
        characters,
        missing.join(', ') || '-',
      ]),
    ),
  );
  return judge(played, guesses);
}

function describeRow({ calls, characters, isSolved }) {
  return `${calls}, ${inEnglish(characters)}${isSolved ? '' : ' NOT SOLVED'}`;
}

function judge(played, guesses) {
  const { semantic, single } = played;
  const faults = [
    ...Object.entries(played).flatMap(([name, { rows }]) =>
      rows.filter(({ isSolved }) => !isSolved).map(({ title }) => `${name}: not solved: ${title}`),
    ),
    ...Object.entries({ semantic, single }).flatMap(([name, { refusals, characters }]) => [
      ...(refusals.length > MOST_REFUSALS ? [`${name}: ${refusals.length} refusals, at most ${MOST_REFUSALS}`] : []),
      ...(characters > MOST_CHARACTERS ? [`${name}: ${characters} characters, at most ${MOST_CHARACTERS}`] : []),
    ]),
    ...guesses.filter(({ isRight }) => !isRight).map(({ title }) => `not corrected: ${title}`),
  ];
  print(faults.length === 0 ? 'The goal is met.' : `The goal is not met:\n${faults.join('\n')}`);
  return faults.length === 0;
}

function inEnglish(count) {
  return count.toLocaleString('en');
}

function print(text) {
  process.stdout.write(`${text}\n\n`);
}
