import type { JsonObject } from '../protocol/json.js';

/** Characters of JSON to a token: names in snake_case and English sentences take somewhat more than three. */
const CHARACTERS_PER_TOKEN = 3.5;

/** How many of the first items fit a budget in tokens, estimated by their characters; at least one. */
export function countAffordable(items: readonly JsonObject[], budgetTokens: number): number {
  let left = budgetTokens * CHARACTERS_PER_TOKEN;
  const tooMuch = items.findIndex((item) => {
    left -= JSON.stringify(item).length + 1;
    return left < 0;
  });
  return tooMuch < 0 ? items.length : Math.max(1, tooMuch);
}
