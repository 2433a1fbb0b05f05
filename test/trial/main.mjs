// npm run trial [-- --servers FOLDER] [--verbose]: everyday tasks over 15 real servers, with and without the gateway: what a model
// reads, and what is refused. With --tokens [--from FOLDER]: what registration, map, search, details and confirmation take.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openGatewayArm, openOwnArm } from './arms.mjs';
import { installServers } from './install.mjs';
import { playTasks } from './play.mjs';
import { playGuesses, playSearches } from './play-guesses.mjs';
import { report } from './report.mjs';
import { printTokens } from './tokens.mjs';
import { makeWorld } from './world.mjs';

const CACHE = fileURLToPath(new URL('../../.mcp-aql/trial/servers/', import.meta.url));

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: CACHE },
    verbose: { type: 'boolean', default: false },
    tokens: { type: 'boolean', default: false },
    from: { type: 'string' },
  },
});
const bin = installServers(values.servers);
if (values.tokens) await printTokens(await withArm(openOwnArm, ({ toolsByServer }) => toolsByServer), values.from);
else process.exitCode = (await playAll()) ? 0 : 1;

async function playAll() {
  const played = {
    own: await withArm(openOwnArm, (arm, world) => playTasks(arm, 'own', world)),
    semantic: await withArm(openSemantic, (arm, world) => playTasks(arm, 'gateway', world)),
    single: await withArm(openSingle, (arm, world) => playTasks(arm, 'gateway', world)),
  };
  const guesses = await withArm(openSemantic, playGuesses);
  const searches = await withArm(openSemantic, playSearches);
  return report({ played, guesses, searches, verbose: values.verbose });
}

/** Opens an arm over a world of its own, and removes both. */
async function withArm(open, use) {
  const world = makeWorld();
  try {
    const arm = await open(bin, world);
    try {
      return await use(arm, world);
    } finally {
      await arm.close();
    }
  } finally {
    world.remove();
  }
}

function openSemantic(folder, world) {
  return openGatewayArm(folder, world, 'semantic');
}

function openSingle(folder, world) {
  return openGatewayArm(folder, world, 'single');
}
