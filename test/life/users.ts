import type { JsonObject } from '../../src/base/json/json.js';
import { USERS } from '../support/world/users.js';
import type { WorldClient } from '../support/world/world-client.js';
import type { Mode } from './calls.js';
import type { Story } from './story.js';
import { Violation } from './violation.js';
import { ENDING_MS, within } from './waiting.js';

const LISTS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'] as const;

/** The server of the users holds up each list once while it starts (docs/resources-and-prompts.md), which no story is to judge. */
export async function awaitUsers({ world, mode }: Story): Promise<void> {
  if (world.users === undefined) return;
  const client = world.newClient('a client that waits', 'http', '2026-07-28');
  await askForAll(client, mode, false);
  client.close();
}

/** No answer to one user holds a word of another's, and each who has an account finds their own. @throws Violation */
export async function checkUsers({ world: { users }, players, mode }: Story): Promise<void> {
  if (users === undefined) return;
  for (const { client } of players) {
    const isConnected = client.front === 'http' && users.connected.has(client.name);
    const answers = await askForAll(client, mode, isConnected);
    const told = JSON.stringify(answers);
    const who = `${client.name} (${client.front}, ${client.era})`;
    const foreign = USERS.filter((user) => told.includes(user) && !(isConnected && user === client.name));
    if (foreign.length > 0) throw new Violation("a user is told a word of another's", `${who} of ${foreign}: ${told}`);
    if (!isConnected) continue;
    const { name } = client;
    const own = [`diary://${name}/today`, `diary://${name}/{day}`, `letter_of_${name}`, `written by ${name}`];
    const lacking = own.filter((each) => !told.includes(each));
    if (lacking.length > 0) throw new Violation('a user does not find their own', `${who} lacks ${lacking}: ${told}`);
  }
}

/** @param hasOwn whether there is a tool with the client's name */
async function askForAll(client: WorldClient, mode: Mode, hasOwn: boolean): Promise<readonly unknown[]> {
  const ask = (method: string, params?: JsonObject) => within(ENDING_MS, client.request(method, params));
  const call = (operation: string, params: JsonObject) => {
    if (mode === 'passthrough') return ask('tools/call', { name: operation, arguments: params });
    const name = mode === 'single' ? 'mcp_aql' : 'mcp_aql_read';
    return ask('tools/call', { name, arguments: { operation, params } });
  };
  const answers: unknown[] = [];
  for (const method of LISTS) answers.push(await ask(method));
  if (mode !== 'passthrough')
    answers.push(await call('introspect', { query: 'operations', search: 'what was written' }));
  if (hasOwn) answers.push(await call(`get_${client.name}_diary`, {}));
  return answers;
}
