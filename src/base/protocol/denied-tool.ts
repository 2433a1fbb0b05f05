import type { JsonObject } from '../json/json.js';

/** How servers and their libraries say that they have no tool of a name, which `*` stands for: the whole of what they say. */
const DENIAL =
  /^(?:mcp error -\d+: |(?:tool )?error: )?(?:(?:unknown|no such|invalid) tool:? \*|tool (?:not found|unknown|does not exist): \*|tool:? \* (?:was |is )?(?:not found|unknown|does not exist|not registered)(?:: tool not found)?)\.?$/i;

/**
 * Whether a server's failure says that it has no such tool, so that nothing ran. A tool that calls others by name says the same of those:
 * the name must be the tool's own, and in none of the arguments.
 */
export function deniesTool(words: string, call: { readonly tool: string; readonly arguments: JsonObject }): boolean {
  const { tool, arguments: args } = call;
  if (words.length > tool.length + 80 || !words.includes(tool) || JSON.stringify(args).includes(tool)) return false;
  const named = words.trim().replace(tool, () => '*');
  return DENIAL.test(named.replace(/["'`]\*["'`]/, '*'));
}
