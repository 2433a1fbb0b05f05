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
  const next = nextSteps(step, JSON.parse(first));
  if (next.length === 0) return { outcome: refusal, isRight: refusal === 'NOT_FOUND_RESOURCE', characters, text };
  for (const each of next) {
    const followed = await arm.call(each);
    if (isFault(followed.refusal)) {
      return { outcome: `${refusal}, then ${followed.refusal}`, isRight: false, characters, text };
    }
  }
  return { outcome: `${refusal}, corrected`, isRight: true, characters, text };
}

/** A question is no fault. */
function isFault(refusal) {
  return refusal !== undefined && refusal !== 'CONFIRMATION_REQUIRED';
}

/** A batch that is to be sent instead, in a message. */
const BATCH = /via '(?:mcp_aql_?)(\w*)': (\{"operations":.*?\]\})(?=; via |$)/g;
/** Parameters that a message ends with: a filter that finds it, a query that is answered. */
const PARAMS = / (?:by|as in|mean) (\{.*\})\??$/;

/** The calls that an answer offers instead of the one that was made: an example, batches by family, or parameters. */
function nextSteps({ family, request }, { error, results = [] }) {
  const { message = '', details = {} } = error ?? results.find(({ result }) => !result.success)?.result.error ?? {};
  const { example } = details;
  if (example !== undefined) {
    return [{ family: example.tool === undefined ? family : familyOf(example.tool), request: example.arguments }];
  }
  // Of a name that several servers share: the caller knows which it means.
  const [candidate] = details.candidates ?? [];
  if (candidate !== undefined) {
    return [{ family: familyOf(candidate.tool), request: { ...request, operation: candidate.operation } }];
  }
  const [, params] = PARAMS.exec(message) ?? [];
  if (params !== undefined) return [{ family, request: { ...request, params: JSON.parse(params) } }];
  return [...message.matchAll(BATCH)].map(([, name, batch]) => ({ family: name, request: JSON.parse(batch) }));
}

function familyOf(tool) {
  return tool.replace(/^mcp_aql_?/, '');
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
