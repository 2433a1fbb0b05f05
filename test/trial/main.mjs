// npm run trial [-- --story NAME] [--servers FOLDER] [--verbose]: everyday tasks in two stories, with the servers' own tools, through
// the gateway, and with programs: what a model reads, and what is refused. With --tokens [--from FOLDER]: what registration, map,
// search, details and confirmation take.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openGatewayArm, openOwnArm } from './arms.mjs';
import { playTasks } from './play.mjs';
import { playGuesses, playSearches } from './play-guesses.mjs';
import { reportGuesses, reportStory } from './report.mjs';
import { STORIES } from './stories.mjs';
import { printTokens } from './tokens.mjs';

const CACHE = fileURLToPath(new URL('../../.mcp-aql/trial/servers/', import.meta.url));

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: CACHE },
    story: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
    tokens: { type: 'boolean', default: false },
    from: { type: 'string' },
  },
});
if (values.tokens) {
  await printTokens(await withArm(STORIES.office, openOwnArm, ({ toolsByServer }) => toolsByServer), values.from);
} else {
  const faults = await playAll(Object.keys(STORIES).filter((name) => name.includes(values.story)));
  process.stdout.write(faults.length === 0 ? 'The goal is met.\n' : `The goal is not met:\n${faults.join('\n')}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

async function playAll(names) {
  const faults = [];
  for (const name of names) faults.push(...(await playStory(STORIES[name])));
  return faults;
}

async function playStory(story) {
  const play = (mode, kind) =>
    withArm(story, opener(mode), (arm, world) => playTasks(arm, kind, { tasks: story.tasks, world }));
  const played = {
    own: await withArm(story, openOwnArm, (arm, world) => playTasks(arm, 'own', { tasks: story.tasks, world })),
    semantic: await play('semantic', 'gateway'),
    single: await play('single', 'gateway'),
    programs: await play('programs', 'programs'),
  };
  const faults = reportStory(story, played);
  if (!story.hasGuesses) return faults;
  const guesses = await withArm(story, opener('semantic'), playGuesses);
  const searches = await withArm(story, opener('semantic'), playSearches);
  return [...faults, ...reportGuesses({ guesses, searches, verbose: values.verbose })];
}

function opener(mode) {
  return (servers, world) => openGatewayArm(servers, world, mode);
}

/** Opens an arm over a world of its own, and removes both. */
async function withArm(story, open, use) {
  const world = story.makeWorld();
  try {
    const arm = await open(story.serversIn(world, values.servers), world);
    try {
      return await use(arm, world);
    } finally {
      await arm.close();
    }
  } finally {
    world.remove();
  }
}
