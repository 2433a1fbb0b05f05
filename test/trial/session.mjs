import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** The random parts of answers, whose tokens must not change the count: tokens, cursors, sessions. */
const RANDOM = /conf_[\w-]{43}|(?<="(?:startCursor|endCursor|cursor|after|session_id)":")[^"]+|\bres_[\w-]+/g;
const STAND_IN = 'k3XvQ0bTz9LmWc1RfYh7aJdP2uGnEs5oKqVw8xBi4tZyC6rD';

/** The tokens (o200k_base) of a text, in which random parts count as if they were always the same. */
export function countStable(text) {
  const stable = text.replace(RANDOM, (value) => STAND_IN.slice(0, value.length));
  return countTokens(stable, { disallowedSpecial: new Set() });
}

/** What one arm costs: calls, refusals, and characters and tokens of calls and answers. */
export function createTally() {
  const tally = { calls: 0, confirmations: 0, refusals: [], asked: 0, characters: 0, tokens: 0 };
  return {
    tally,
    add({ request, text, refusal }) {
      tally.calls += 1;
      tally.asked += JSON.stringify(request).length;
      tally.characters += text.length;
      tally.tokens += countStable(text);
      if (refusal === 'CONFIRMATION_REQUIRED') tally.confirmations += 1;
      else if (refusal !== undefined) tally.refusals.push(refusal);
    },
  };
}
