import type { JsonObject } from '../../src/base/json/json.js';
import type { WorldServer } from '../support/world/world.js';
import type { Reply, SentRequest, WorldClient } from '../support/world/world-client.js';
import { Violation } from './violation.js';
import { ENDING_MS, within } from './waiting.js';

export type Mode = 'semantic' | 'single' | 'all' | 'passthrough';

export type Verb = 'read' | 'create' | 'update';

/** A call that has ended, or is under way. */
export interface Call {
  readonly client: string;
  readonly server: WorldServer;
  readonly verb: Verb;
  readonly id: string;
}

/** What the caller was told. */
export interface Told {
  readonly isServed: boolean;
  readonly outcome?: string | undefined;
  readonly words: string;
}

/** What is to be changed stands in `input`. */
export const writeParams = ({ verb, id }: Call): JsonObject => (verb === 'update' ? { input: { id } } : { id });

/** The MCP tool and its arguments by which a mode calls a server's tool. */
export function writeCall(call: Call, mode: Mode): JsonObject {
  const { server, verb, id } = call;
  const tool = `${verb}_${server.name}`;
  if (mode === 'passthrough') return { name: tool, arguments: { id } };
  const name = mode === 'single' ? 'mcp_aql' : `mcp_aql_${verb}`;
  return { name, arguments: { operation: tool, params: writeParams(call) } };
}

/** Sends a call and judges its end. @throws Violation */
export async function makeCall(client: WorldClient, call: Call, mode: Mode, sent: SentRequest = {}): Promise<Told> {
  const reply = await within(ENDING_MS, client.request('tools/call', writeCall(call, mode), sent));
  if (reply === undefined) throw new Violation('a call never ends', describe(call));
  return judge(call, reply);
}

function describe({ client, verb, id, server }: Call): string {
  return `${client}'s ${verb} ${id} of ${server.name}`;
}

/** Holds what a caller was told against what the servers have written down. @throws Violation */
export function judge(call: Call, reply: Reply): Told {
  const told = readReply(call, reply);
  const run = call.server.mind.runs.get(call.id);
  const what = `${describe(call)}: ${told.words}`;
  if (told.isServed && run === undefined) throw new Violation('an answer to what never ran', what);
  if (told.outcome === 'not_run' && run !== undefined) throw new Violation('what ran is told as not run', what);
  if (reply.kind === 'lost' || told.isServed) return told;
  if (/VALIDATION_(?:UNKNOWN|MISSING)|CONFIRMATION/.test(told.words))
    throw new Violation('a right call is refused', what);
  if (run !== undefined && told.outcome !== 'unknown') throw new Violation('what ran is told as refused', what);
  return told;
}

function readReply(call: Call, reply: Reply): Told {
  if (reply.kind === 'lost') return { isServed: false, outcome: 'unknown', words: 'the connection was lost' };
  if (reply.kind === 'refused') return { isServed: false, words: `HTTP ${reply.status} ${reply.text.slice(0, 200)}` };
  if (reply.kind === 'error') {
    const data = reply.error['data'] as JsonObject | undefined;
    const details = (data?.['details'] ?? data) as JsonObject | undefined;
    return { isServed: false, outcome: details?.['outcome'] as string | undefined, words: JSON.stringify(reply.error) };
  }
  const text = textOf(reply.result);
  const own = findOwn(text, call);
  if (own !== undefined) return { isServed: true, words: own };
  const words = text.slice(0, 500);
  return {
    isServed: false,
    outcome: /"outcome": ?"(\w+)"/.exec(JSON.stringify(reply.result).replaceAll('\\"', '"'))?.[1],
    words,
  };
}

function textOf(result: JsonObject): string {
  const content = result['content'] as readonly { readonly text?: string }[] | undefined;
  return content?.map(({ text = '' }) => text).join('\n') ?? JSON.stringify(result);
}

/** The server's own answer, which names server, tool and call. @throws Violation where it is another one's */
function findOwn(text: string, call: Call): string | undefined {
  const found = /\{"server":"(\w+)","tool":"(\w+)","id":"([^"]+)"\}/.exec(text.replaceAll('\\"', '"'));
  if (found === null) return undefined;
  const [answer, server, tool, id] = found;
  if (server !== call.server.name || tool !== `${call.verb}_${server}` || id !== call.id)
    throw new Violation('a foreign answer', `${describe(call)}: ${answer}`);
  return answer;
}
