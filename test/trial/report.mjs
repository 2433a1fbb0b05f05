import { renderTable } from '../bench/report/render-table.mjs';
import { countStable } from './session.mjs';

/** The goal of the gateway's arms. */
const MOST_REFUSALS = 2;

const ARMS = {
  own: "the servers' own tools",
  semantic: 'five semantic tools',
  single: 'single mcp_aql',
  programs: 'five, with programs',
};

/** Prints how a story was played in each arm, and returns what is not as it should be. */
export function reportStory(story, played) {
  const arms = Object.entries(played);
  print(`${story.title}. ${story.tasks.length} tasks; tokens are o200k_base, pictures are not counted.`);
  print(
    renderTable(
      [
        'arm',
        'tokens of definitions',
        'calls',
        'confirmations',
        'refusals',
        'tokens of answers',
        'of own',
        'with definitions',
        'characters',
      ],
      arms.map(([name, arm]) => [
        ARMS[name],
        inEnglish(countStable(arm.definitions)),
        arm.calls,
        arm.confirmations,
        arm.refusals.length,
        inEnglish(arm.tokens),
        shareOf(arm.tokens, played.own.tokens),
        shareOf(allTokens(arm), allTokens(played.own)),
        inEnglish(arm.characters),
      ]),
    ),
  );
  print(
    renderTable(
      ['task', ...arms.map(([name]) => `${name}: calls, tokens`), 'refusals'],
      story.tasks.map(({ title }, index) => [
        title,
        ...arms.map(([, { rows }]) => describeRow(rows[index])),
        arms.flatMap(([name, { rows }]) => rows[index].refusals.map((refusal) => `${name}: ${refusal}`)).join(', ') ||
          '-',
      ]),
    ),
  );
  return judge(story, played);
}

/** Prints what became of wrong guesses and of searches, and returns which were not put right. */
export function reportGuesses({ guesses, searches, verbose }) {
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
  return guesses.filter(({ isRight }) => !isRight).map(({ title }) => `not corrected: ${title}`);
}

/** What a model reads in all. */
function allTokens({ definitions, tokens }) {
  return countStable(definitions) + tokens;
}

function shareOf(tokens, own) {
  return (tokens / own).toFixed(2);
}

function describeRow({ calls, tokens, isSolved }) {
  return `${calls}, ${inEnglish(tokens)}${isSolved ? '' : ' NOT SOLVED'}`;
}

function judge({ title: story, mostCharacters, mostOfOwn }, played) {
  const { own, ...ours } = played;
  const faults = [
    ...Object.entries(played).flatMap(([name, { rows }]) =>
      rows.filter(({ isSolved }) => !isSolved).map(({ title }) => `${name}: not solved: ${title}`),
    ),
    ...Object.entries(ours).flatMap(([name, { refusals, characters, tokens }]) => [
      ...(refusals.length > MOST_REFUSALS ? [`${name}: ${refusals.length} refusals, at most ${MOST_REFUSALS}`] : []),
      ...(characters > mostCharacters ? [`${name}: ${characters} characters, at most ${mostCharacters}`] : []),
      ...(tokens > mostOfOwn * own.tokens ? [`${name}: ${tokens} tokens, at most ${mostOfOwn} of ${own.tokens}`] : []),
    ]),
  ];
  return faults.map((fault) => `${story}: ${fault}`);
}

function inEnglish(count) {
  return count.toLocaleString('en');
}

function print(text) {
  process.stdout.write(`${text}\n\n`);
}
