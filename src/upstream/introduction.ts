import type { Client } from '@modelcontextprotocol/client';
import type { Introduction } from '../base/protocol/tools.js';

/** Callers see half of it at most; what is beyond is neither kept nor compared. */
const LONGEST_INTRODUCTION = 8_000;

/** What a server says of itself; undefined where it says nothing. */
export function readIntroduction(client: Client): Introduction | undefined {
  const { title, description }: { readonly title?: unknown; readonly description?: unknown } =
    client.getServerVersion() ?? {};
  const said = Object.entries({ title, description, instructions: client.getInstructions() }).flatMap(([name, text]) =>
    typeof text === 'string' && text.trim() !== '' ? [[name, text.slice(0, LONGEST_INTRODUCTION)]] : [],
  );
  return said.length === 0 ? undefined : Object.fromEntries(said);
}
