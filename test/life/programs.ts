import type { JsonObject } from '../../src/base/json/json.js';
import type { Reply, WorldClient } from '../support/world/world-client.js';
import { type Call, type Mode, writeParams } from './calls.js';
import type { Story } from './story.js';
import { Violation } from './violation.js';
import { ENDING_MS, within } from './waiting.js';

/** Makes all calls at once, and returns of each whether it was served, or else its outcome. */
const CODE = `return await Promise.all(input.map(async ([name, params]) => {
  try { await aql.call(name, params); return "served"; }
  catch ({ message, details }) { return details?.outcome ?? message; }
}));`;

/** Has a program make the calls; holds what it says of them against what the servers have written down. @throws Violation */
export async function runProgram(story: Story, client: WorldClient, calls: readonly Call[]): Promise<void> {
  const input = calls.map((call) => [`${call.verb}_${call.server.name}`, writeParams(call)]);
  const reply = await within(ENDING_MS, client.request('tools/call', write({ code: CODE, input }, story.mode)));
  const what = `${client.name}'s program: ${JSON.stringify(reply)}`;
  if (reply === undefined) throw new Violation('a program never ends', what);
  const data = readData(reply);
  const told = data?.['result'];
  if (!Array.isArray(told) || told.length !== calls.length) throw new Violation('a program is not answered', what);
  if (data?.['calls'] !== calls.length) throw new Violation('a program miscounts its calls', what);
  for (const [index, call] of calls.entries()) {
    const outcome = String(told[index]);
    const isServed = outcome === 'served';
    const hasRun = call.server.mind.runs.has(call.id);
    if (isServed && !hasRun) throw new Violation('a program is told what never ran', what);
    if (hasRun && !isServed && outcome !== 'unknown') throw new Violation('a program is told that nothing ran', what);
    story.note(call, { isServed, outcome: isServed ? undefined : outcome, words: what });
  }
}

const write = (params: JsonObject, mode: Mode): JsonObject => ({
  name: mode === 'single' ? 'mcp_aql' : 'mcp_aql_execute',
  arguments: { operation: 'run_program', params },
});

function readData(reply: Reply): JsonObject | undefined {
  if (reply.kind !== 'result') return undefined;
  const [first] = reply.result['content'] as readonly { readonly text?: string }[];
  return (JSON.parse(first?.text ?? '{}') as { readonly data?: JsonObject }).data;
}
