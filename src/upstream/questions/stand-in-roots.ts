import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '../../base/json/json.js';
import { type AskChannel, NO_ABILITIES } from '../../base/protocol/ask.js';
import type { Caller } from '../../base/protocol/call.js';
import type { AskPolicy } from '../../config/gateway-config.js';
import type { AskSettings } from './ask-client.js';

/** Whether a server of sessions may learn a client's folders: it keeps them for its connection, whoever calls next. */
export function tellsRoots({ asker, ownerLog }: Pick<AskSettings, 'asker' | 'ownerLog'>): boolean {
  return asker.asks.roots === 'allow' || (asker.asks.roots !== 'deny' && ownerLog?.() !== undefined);
}

/** What a server is told in place of a client's folders: those of the operator, or that there are none. */
export function standInRoots({ roots: folders }: AskPolicy): JsonObject {
  const named = typeof folders === 'string' ? [] : folders;
  const uriOf = (folder: string): string => (folder.startsWith('file:') ? folder : pathToFileURL(folder).href);
  return { roots: named.map((folder) => ({ uri: uriOf(folder), name: basename(folder) })) };
}

/** For a server that asks within calls: a channel that has the operator's folders, if there are any, where the client has none. */
export function withFolders(
  ask: AskChannel | undefined,
  caller: Caller | undefined,
  { asker: { asks } }: AskSettings,
): AskChannel | undefined {
  if (typeof asks.roots === 'string' || caller === undefined || ask?.abilities.roots === true) return ask;
  return {
    caller,
    ...ask,
    abilities: { ...(ask?.abilities ?? NO_ABILITIES), roots: true },
    // Nothing else is asked of a client that has no channel: its abilities say that it cannot be.
    ask: async (question, cancellation) =>
      question.method === 'roots/list' || ask === undefined ? standInRoots(asks) : ask.ask(question, cancellation),
  };
}
