import type { JsonObject } from '../../src/base/json/json.js';
import type { ListMethod } from '../support/world/server-mind.js';
import type { Reply, WorldClient } from '../support/world/world-client.js';
import type { Actor, Story } from './story.js';
import { checkUsers } from './users.js';
import { Violation } from './violation.js';
import {
  DELAY_MS,
  ENDING_MS,
  eventually,
  livedMs,
  measureLived,
  PATIENCE_MS,
  PAUSE_MS,
  RECOVERY_MS,
  within,
} from './waiting.js';

const FRONTS = ['http', 'stdio'] as const;
const ERAS = ['2025-11-25', '2026-07-28'] as const;

/** What must hold after each step. @throws Violation */
export async function checkStep(story: Story): Promise<void> {
  const fresh: WorldClient[] = [];
  try {
    for (const front of FRONTS) for (const era of ERAS) fresh.push(await checkHandshake(story, front, era));
    const [first] = fresh as [WorldClient];
    const steady = story.actors.filter(({ isServed }) => isServed);
    for (const actor of steady) {
      for (const client of [first, ...story.players.map(({ client }) => client)]) await checkRead(story, client, actor);
      await checkOwn(first, actor);
    }
    await checkLists(story, first);
    await checkUsers(story);
    const { isReady } = await story.world.readiness();
    if (steady.length > 0 && !isReady) throw new Violation('not ready though calls are served', '/readyz says 503');
    story.checkRuns();
  } finally {
    for (const client of fresh) {
      client.close();
      story.world.clients.splice(story.world.clients.indexOf(client), 1);
    }
  }
}

/** A new client can always come, and what it is told that there is can be listed. */
async function checkHandshake(story: Story, front: 'http' | 'stdio', era: (typeof ERAS)[number]): Promise<WorldClient> {
  const client = story.world.newClient('a new client', front, era);
  const { value: reply, tookMs } = await measureLived(() => within(ENDING_MS, client.shakeHands()));
  const what = `${era === '2025-11-25' ? 'initialize' : 'server/discover'} over ${front}`;
  if (reply?.kind !== 'result') throw new Violation('a handshake fails', `${what}: ${JSON.stringify(reply)}`);
  if (tookMs > DELAY_MS) throw new Violation('a handshake waits', `${what}: ${Math.round(tookMs)} ms`);
  return client;
}

async function checkRead(story: Story, client: WorldClient, actor: Actor): Promise<void> {
  const call = story.newCall(client.name, actor, 'read');
  const { value: told, tookMs } = await measureLived(() => story.call(client, call));
  const what = `${client.name} (${client.front}, ${client.era}) reads ${actor.server.name}`;
  if (!told.isServed) throw new Violation('a READ that could be served is not', `${what}: ${told.words}`);
  if (tookMs > DELAY_MS) throw new Violation("another's trouble delays a call", `${what}: ${Math.round(tookMs)} ms`);
}

/** What is known to belong to a server waits for the lists of no other. */
export async function checkKnown(story: Story): Promise<void> {
  const client = story.world.newClient('a client that knows what it wants', 'http', '2026-07-28');
  for (const actor of story.actors.filter(({ isServed }) => isServed)) await checkOwn(client, actor);
  client.close();
}

/** Its resource and its prompt, whose owner is known. */
async function checkOwn(client: WorldClient, { server, isListed }: Actor): Promise<void> {
  if (!isListed) return;
  const { mind } = server;
  if (mind.offer.resources) await ask('resources/read', { uri: mind.uri }, `${server.name} says ${mind.uri}`);
  if (mind.offer.prompts) await ask('prompts/get', { name: mind.prompt }, `${server.name} asks`);
  async function ask(method: string, params: JsonObject, expected: string): Promise<void> {
    const { value: reply, tookMs } = await measureLived(() => within(ENDING_MS, client.request(method, params)));
    const what = `${method} of ${server.name}`;
    if (!JSON.stringify(reply).includes(expected))
      throw new Violation('a resource or prompt that could be read is not', `${what}: ${JSON.stringify(reply)}`);
    if (tookMs > DELAY_MS)
      throw new Violation("another's trouble delays a resource or a prompt", `${what}: ${Math.round(tookMs)} ms`);
  }
}

const LISTS = {
  'resources/list': { member: 'resources', key: 'uri', kind: 'resources' },
  'resources/templates/list': { member: 'resourceTemplates', key: 'uriTemplate', kind: 'resources' },
  'prompts/list': { member: 'prompts', key: 'name', kind: 'prompts' },
  'tools/list': { member: 'tools', key: 'name', kind: 'tools' },
} as const;

/** What a server's list holds, by what it is for. */
function expectedOf({ server: { mind, name } }: Actor, method: ListMethod): readonly string[] {
  if (method === 'tools/list') return mind.tools;
  if (method === 'prompts/list') return mind.offer.prompts ? [mind.prompt] : [];
  if (!mind.offer.resources) return [];
  if (method === 'resources/list') return [mind.uri];
  return mind.offer.templates ? [`mem://${name}/page/{page}`] : [];
}

/** Whose an entry is: the names of things have the server's name in them. */
const isOf = (actor: Actor, key: string): boolean => new RegExp(`(^|[_/])${actor.server.name}([_/]|$)`).test(key);

const methodsOf = (story: Story): readonly ListMethod[] =>
  (Object.keys(LISTS) as ListMethod[]).filter((method) => method !== 'tools/list' || story.mode === 'passthrough');

/** Lists are right for servers whose lists were, hold nothing of servers that were removed, and wait for nobody more than once. */
async function checkLists(story: Story, client: WorldClient): Promise<void> {
  const right = new Set(story.actors.filter(({ isServed, server }) => isServed && server.mind.hanging.size === 0));
  for (const method of methodsOf(story)) {
    const { value: keys, tookMs } = await measureLived(() => readList(client, method));
    for (const actor of story.actors) {
      const wrong = compare(actor, method, keys);
      if (wrong === undefined) continue;
      right.delete(actor);
      if (actor.isListed || !actor.isConfigured) throw new Violation('a list tells what is not there', wrong);
    }
    if (tookMs <= DELAY_MS) continue;
    const late = story.actors.filter((actor) => actor.isConfigured && mayHoldUp(actor, method));
    const isFirst = late.some(({ awaited }) => !awaited.has(method));
    for (const { awaited } of late) awaited.add(method);
    if (!isFirst || tookMs > PATIENCE_MS)
      throw new Violation("a server's trouble delays a list", `${method}: ${Math.round(tookMs)} ms`);
  }
  for (const actor of right) actor.isListed = true;
}

/** Whether it does not answer this, or may have been away: such a server holds up a list once (docs/resources-and-prompts.md). */
const mayHoldUp = ({ server, isServed }: Actor, method: ListMethod): boolean =>
  server.mind.hanging.has(method) || !isServed;

/** The keys of a list's entries. @throws Violation */
async function readList(client: WorldClient, method: ListMethod): Promise<readonly string[]> {
  const reply: Reply | undefined = await within(ENDING_MS, client.request(method));
  // No server has any.
  if (reply?.kind === 'error' && reply.error['code'] === -32601) return [];
  if (reply?.kind !== 'result') throw new Violation('a list fails', `${method}: ${JSON.stringify(reply)}`);
  const { member, key } = LISTS[method];
  const entries = reply.result[member] as readonly JsonObject[];
  return entries.map((entry) => String(entry[key]));
}

function compare(actor: Actor, method: ListMethod, keys: readonly string[]): string | undefined {
  const expected = actor.isConfigured ? [...expectedOf(actor, method)].sort() : [];
  const found = keys.filter((key) => isOf(actor, key)).sort();
  if (expected.join() === found.join()) return undefined;
  return `${method} has [${found}] of ${actor.server.name} instead of [${expected}]`;
}

/** Whether it can be expected to be used. */
const isWell = ({ isConfigured, trouble }: Actor): boolean => isConfigured && trouble === 'none';

/** Waits until what is well again is used and listed again, and what is down is told so. @throws Violation */
export async function settle(story: Story): Promise<void> {
  const client = story.world.newClient('a patient client', 'http', '2025-11-25');
  const reply = await within(ENDING_MS, client.shakeHands());
  if (reply?.kind !== 'result')
    throw new Violation('a handshake fails', `initialize over http: ${JSON.stringify(reply)}`);
  for (const actor of story.actors.filter(isWell)) {
    const { server } = actor;
    const patienceMs = actor.isKnown ? RECOVERY_MS : RECOVERY_MS + PAUSE_MS;
    const wrong = await eventually(patienceMs, async () => {
      const told = await story.call(client, story.newCall(client.name, actor, 'read'));
      return told.isServed ? undefined : told.words;
    });
    if (wrong !== undefined)
      throw new Violation(`a server that is well is never served again (${server.kind})`, `${server.name}: ${wrong}`);
    actor.isServed = true;
    actor.isKnown = true;
  }
  for (const actor of story.actors.filter((each) => isWell(each) && each.server.mind.hanging.size === 0)) {
    for (const method of methodsOf(story)) {
      const wrong = await eventually(RECOVERY_MS, async () => compare(actor, method, await readList(client, method)));
      if (wrong !== undefined) throw new Violation('a list stays wrong', wrong);
    }
    actor.isListed = true;
  }
  await settleReadiness(story);
  client.close();
}

/** `/readyz` says that calls are served where some are, and not where all servers are down. */
async function settleReadiness(story: Story): Promise<void> {
  const configured = story.actors.filter(({ isConfigured }) => isConfigured);
  const isDown = configured.length > 0 && configured.every(({ trouble }) => trouble === 'down');
  if (!isDown && !configured.some(isWell)) return;
  // The server of the users is always there.
  if (isDown && story.world.users !== undefined) return;
  const wrong = await eventually(RECOVERY_MS, async () => {
    const { isReady, states } = await story.world.readiness();
    return isReady === !isDown
      ? undefined
      : `/readyz says ${isReady ? 'ready' : 'not ready'}: ${JSON.stringify([...states])}`;
  });
  if (wrong !== undefined) throw new Violation('readiness is not told', wrong);
}

/**
 * The moment at which the gateway says that it is ready: it has operations of a server, and what it says is ready is called at once.
 * @throws Violation
 */
export async function checkBeginning(story: Story): Promise<void> {
  const client = story.world.newClient('the first client', 'http', '2026-07-28');
  for (const actor of await untilReady(story)) {
    const told = await story.call(client, story.newCall(client.name, actor, 'read'));
    if (!told.isServed)
      throw new Violation('the first call is refused', `the first client reads ${actor.server.name}: ${told.words}`);
    actor.isServed = true;
  }
  client.close();
}

/** The servers that are ready when the gateway says that it is. @throws Violation */
async function untilReady(story: Story): Promise<readonly Actor[]> {
  const until = livedMs() + 4 * DELAY_MS;
  let readiness = await story.world.readiness();
  while (!readiness.isReady && livedMs() < until) readiness = await story.world.readiness();
  const { isReady, operations, states } = readiness;
  if (isReady && story.configured().length > 0 && operations < 1 + LEAST_TOOLS)
    throw new Violation('ready without operations', `/readyz says ready, and has ${operations} operations`);
  return isReady ? story.actors.filter((each) => isWell(each) && states.get(each.server.name) === 'ready') : [];
}

/** Each server has three tools. */
const LEAST_TOOLS = 3;
