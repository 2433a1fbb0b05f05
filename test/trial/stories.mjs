import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installServers } from './install.mjs';
import { describeServers } from './servers.mjs';
import { TASKS as OFFICE_TASKS } from './tasks.mjs';
import { SERVERS as THEATRE_SERVERS } from './theatre/servers.mjs';
import { TASKS as THEATRE_TASKS } from './theatre/tasks.mjs';
import { makeWorld } from './world.mjs';

const THEATRE_SERVER = fileURLToPath(new URL('theatre/server.mjs', import.meta.url));

/**
 * Two stories: 15 servers from npm whose answers are small, and a theatre's own servers, which list everything that they know.
 * `mostCharacters` or `mostOfOwn` bounds what the gateway's arms may answer: in characters, or as a share of the own tools' tokens.
 */
export const STORIES = {
  office: {
    title: 'An office: 15 servers from npm',
    tasks: OFFICE_TASKS,
    makeWorld,
    serversIn: (world, folder) => describeServers(installServers(folder), world),
    hasGuesses: true,
    mostCharacters: 40_000,
  },
  theatre: {
    title: `A theatre: ${Object.keys(THEATRE_SERVERS).length} servers without filters`,
    tasks: THEATRE_TASKS,
    makeWorld: makeTheatre,
    serversIn: (world) =>
      Object.fromEntries(
        Object.keys(THEATRE_SERVERS).map((name) => [
          name,
          { command: process.execPath, args: [THEATRE_SERVER, name], cwd: world.root },
        ]),
      ),
    hasGuesses: false,
    mostOfOwn: 0.25,
  },
};

/** The theatre's servers keep everything in memory. */
function makeTheatre() {
  const root = mkdtempSync(join(tmpdir(), 'mcp-aql-trial-'));
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
