import { GUESSES, SEARCHES } from './guesses.mjs';
import { introspect } from './steps.mjs';

/** Makes each wrong first call, follows what its answer offers, and says whether that was enough. */
export async function playGuesses(arm, world) {
  const rows = [];
  for (const [title, stepOf] of GUESSES) rows.push({ title, ...(await playGuess(arm, stepOf(world))) });
  return rows;
}

async function playGuess(arm, step) {
  const { first, text, refusal } = await arm.call(step);
  const characters = text.length;
  if (!isFault(refusal)) return { outcome: 'works', isRight: true, characters, text };
  const next = nextSteps(JSON.parse(first));
  if (next.length === 0) return { outcome: refusal, isRight: saysWhatCreates(text), characters, text };
  for (const each of next) {
    const followed = await arm.call(each);
    if (isFault(followed.refusal))
      return { outcome: `${refusal}, then ${followed.refusal}`, isRight: false, characters, text };
  }
  return { outcome: `${refusal}, corrected`, isRight: true, characters, text };
}

/** A question is no fault. */
function isFault(refusal) {
  return refusal !== undefined && refusal !== 'CONFIRMATION_REQUIRED';
}

/** The calls that an answer offers instead of the one that was made. */
function nextSteps({ error, results = [] }) {
  const { details = {} } = error ?? results.find(({ result }) => !result.success)?.result.error ?? {};
  const offered = details.batches ?? (details.example === undefined ? [] : [details.example]);
  return offered.map(({ tool, arguments: request }) => ({ family: tool.replace(/^mcp_aql_?/, ''), request }));
}

/** Nothing can be sent instead where a thing does not exist, but what is missing is named. */
function saysWhatCreates(text) {
  return /NOT_FOUND_RESOURCE/.test(text);
}

/** Makes the searches of the findings. */
export async function playSearches(arm) {
  const rows = [];
  for (const { words, finds } of SEARCHES) {
    const { text } = await arm.call(introspect({ query: 'operations', search: words }));
    const { operations, _protocol: protocol } = JSON.parse(text).data;
    const names = operations.map(({ name }) => name);
    const missing = finds.filter((name) => !names.includes(name));
    rows.push({
      words,
      shown: names.length,
      total: protocol.page?.total ?? names.length,
      characters: text.length,
      missing,
    });
  }
  return rows;
}
