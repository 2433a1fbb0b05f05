import fc from 'fast-check';
import type { LostForm } from '../support/world/http-door.js';
import { HttpDoor } from '../support/world/http-door.js';
import { type Era, LARGE, type ListMethod, namesOfOffer, type Offer } from '../support/world/server-mind.js';
import { USERS } from '../support/world/users.js';
import { SERVER_KINDS } from '../support/world/world.js';
import { HttpClient, type SentRequest } from '../support/world/world-client.js';
import { judge, type Verb } from './calls.js';
import { checkKnown, checkStep, settle } from './invariants.js';
import { runProgram } from './programs.js';
import type { Actor, Beginning, Player, Setting, Story } from './story.js';
import { Violation } from './violation.js';
import { ENDING_MS, eventually, IDLE_MS, KEEP_ALIVE_MS, RECOVERY_MS, sleep, within } from './waiting.js';

/** One step of a story. Its sentence is written when it runs, as it depends on who is there. */
export class Step implements fc.AsyncCommand<Story, Story> {
  readonly #name: string;
  readonly #plan: (story: Story) => Plan | undefined;
  #sentence: string | undefined;

  constructor(name: string, plan: (story: Story) => Plan | undefined) {
    this.#name = name;
    this.#plan = plan;
  }

  check(story: Readonly<Story>): boolean {
    // fast-check lets nothing be changed here; a plan changes nothing before it acts.
    return this.#plan(story as Story) !== undefined;
  }

  async run(story: Story): Promise<void> {
    const plan = this.#plan(story);
    if (plan === undefined) return;
    this.#sentence = plan.sentence;
    story.tell(plan.sentence);
    story.counts.steps += 1;
    await plan.act();
    await checkStep(story);
  }

  toString(): string {
    return this.#sentence ?? this.#name;
  }
}

interface Plan {
  readonly sentence: string;
  act(): Promise<void>;
}

/** The ways in which a server tells that it does not know a session. */
export const LOST_FORMS: readonly LostForm[] = [
  {
    status: 400,
    text: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}',
  },
  { status: 400, text: 'no valid id' },
  { status: 404, text: 'Session not found' },
  { status: 410, text: 'Gone' },
  { status: 422, text: 'what is that?' },
  { status: 500, text: 'no such key' },
  { code: -32_000, text: 'Bad Request: No valid session ID provided' },
  { code: -32_001, text: 'unknown caller' },
  { code: -32_600, text: 'Invalid Request' },
  { code: -32_602, text: 'Invalid request parameters' },
];

const describeForm = (form: LostForm): string =>
  'code' in form ? `the error ${form.code} within HTTP 200` : `${form.status} '${form.text.slice(0, 40)}'`;

const pick = <T>(items: readonly T[], index: number): T | undefined => items[index % Math.max(1, items.length)];

const isRunning = ({ trouble }: Actor): boolean => trouble === 'none';

/** A step that one of the servers takes that can. @param more what else the step depends on */
function serverStep<T = undefined>(
  name: string,
  can: (actor: Actor) => boolean,
  plan: (actor: Actor, story: Story, more: T) => Plan,
  more: fc.Arbitrary<T> = fc.constant(undefined as T),
): fc.Arbitrary<Step> {
  return fc.tuple(fc.nat({ max: 5 }), more).map(
    ([index, given]) =>
      new Step(name, (story) => {
        const actor = pick(story.actors.filter(can), index);
        return actor === undefined ? undefined : plan(actor, story, given);
      }),
  );
}

const dies = serverStep(
  'a server dies',
  ({ trouble }) => trouble !== 'down',
  (actor, story) => ({
    sentence: `${actor.server.name} dies`,
    async act() {
      story.disturb(actor);
      actor.trouble = 'down';
      await actor.server.die();
    },
  }),
);

function hang(actor: Actor): void {
  actor.trouble = 'silent';
  actor.hasHung = true;
  actor.server.mind.isSilent = true;
}

function deafen(actor: Actor): void {
  actor.hasHung = true;
  actor.server.door.deafen();
}

const fallsSilent = serverStep('a server falls silent', isRunning, (actor, story) => ({
  sentence: `${actor.server.name} hangs: it takes connections and requests, and answers nothing`,
  async act() {
    story.disturb(actor);
    hang(actor);
  },
}));

const goesDeaf = serverStep('a server goes deaf', isRunning, (actor, story) => ({
  sentence: `${actor.server.name} goes deaf to whoever is connected`,
  async act() {
    story.disturb(actor);
    deafen(actor);
  },
}));

const isTroubled = ({ trouble, server }: Actor): boolean => trouble !== 'none' || server.mind.hanging.size > 0;

/** @param isLate whether it still answers what it was asked meanwhile */
async function heal(actor: Actor, story: Story, isLate: boolean): Promise<void> {
  story.disturb(actor, false);
  actor.trouble = 'none';
  actor.server.mind.speak(isLate);
  await actor.server.door.open();
}

const getsWell = serverStep<boolean>(
  'a server gets well',
  isTroubled,
  (actor, story, isLate) => {
    const { name } = actor.server;
    const answers = isLate ? 'answers again, late answers first' : 'answers again, but not what it was asked meanwhile';
    return {
      sentence: actor.trouble === 'down' ? `${name} is started` : `${name} ${answers}`,
      act: () => heal(actor, story, isLate),
    };
  },
  fc.boolean(),
);

/** Whatever has happened, in the end each server is there and answers. */
export async function healAll(story: Story): Promise<void> {
  for (const actor of story.actors.filter(isTroubled)) await heal(actor, story, false);
}

function offers(without: readonly string[]): fc.Arbitrary<Offer> {
  const has = without.includes('capabilities') ? fc.constant(true) : fc.boolean();
  return fc.record({
    extra: fc.boolean(),
    resources: has,
    templates: has,
    prompts: has,
    completions: has,
    edition: fc.integer({ min: 1, max: 3 }),
  });
}

const describeOffer = (offer: Offer): string => {
  const has = namesOfOffer(offer);
  return `its tools${has === '' ? ' alone' : `, ${has}`} (edition ${offer.edition})`;
};

/** What the next life offers, where it is something else, and how it refuses sessions of the former one. */
const isRedeployed = (without: readonly string[]): fc.Arbitrary<Step> =>
  serverStep(
    'a server is redeployed',
    isRunning,
    (actor, story, [form, offer, isOther]) => {
      const { server } = actor;
      const era = isOther && server.door.kind === 'http' ? otherEra(server.mind.era) : server.mind.era;
      const as = era === server.mind.era ? '' : ` as a server of ${era}`;
      const has = offer === null ? '' : `, now with ${describeOffer(offer)}`;
      return {
        sentence: `${server.name} is redeployed${as}${tellsLost(actor, form)}${has}`,
        async act() {
          story.disturb(actor);
          losesSessionsBy(actor, form);
          server.mind.era = era;
          if (offer !== null) server.mind.offer = offer;
          server.mind.hanging.clear();
          await server.restart();
        },
      };
    },
    fc.tuple(fc.constantFrom(...LOST_FORMS), fc.option(offers(without)), fc.boolean()),
  );

const otherEra = (era: Era): Era => (era === '2025-11-25' ? '2026-07-28' : '2025-11-25');

const hasSessions = ({ server: { door, mind } }: Actor): boolean =>
  door instanceof HttpDoor && mind.era === '2025-11-25';

const tellsLost = (actor: Actor, form: LostForm): string =>
  hasSessions(actor) ? ` and tells lost sessions by ${describeForm(form)}` : '';

function losesSessionsBy({ server: { door } }: Actor, form: LostForm): void {
  if (door instanceof HttpDoor) door.lostForm = form;
}

/** As behind a proxy: no connection ends, so that a refusal alone tells it. One without sessions is another one then. */
const forgetsSessions = serverStep(
  'a server forgets its clients',
  (actor) => isRunning(actor) && actor.server.door instanceof HttpDoor,
  (actor, story, [form, isOther]) => {
    const { name, door, mind } = actor.server;
    const era = door.kind === 'http' && (isOther || !hasSessions(actor)) ? otherEra(mind.era) : mind.era;
    const as = era === mind.era ? '' : ` as a server of ${era}`;
    return {
      sentence: `${name} is redeployed${as} behind a proxy that cuts no connection${tellsLost(actor, form)}`,
      async act() {
        story.disturb(actor);
        losesSessionsBy(actor, form);
        mind.hanging.clear();
        if (door instanceof HttpDoor) door.forget();
        mind.restart();
        mind.era = era;
      },
    };
  },
  fc.tuple(fc.constantFrom(...LOST_FORMS), fc.boolean()),
);

const changesLists = serverStep(
  'a server changes its lists',
  isRunning,
  (actor, _story, offer) => {
    const { mind, name } = actor.server;
    // What it has declared stays, as long as it lives.
    const next = { ...mind.offer, extra: offer.extra, templates: offer.templates, edition: offer.edition };
    return {
      sentence: `${name} changes its lists and says so: ${describeOffer(next)}`,
      async act() {
        actor.isListed = false;
        actor.awaited.clear();
        mind.offer = next;
        mind.announce('tools');
        if (next.resources) mind.announce('resources');
        if (next.prompts) mind.announce('prompts');
      },
    };
  },
  offers([]),
);

const LISTS = ['resources/list', 'resources/templates/list', 'prompts/list'] as const satisfies readonly ListMethod[];

/** The lists that a server has and answers. */
function listsOf({ server: { mind } }: Actor): readonly ListMethod[] {
  const { prompts, resources, templates } = mind.offer;
  const has = { 'prompts/list': prompts, 'resources/list': resources, 'resources/templates/list': templates };
  return LISTS.filter((method) => has[method] && !mind.hanging.has(method));
}

/** A list that is said to be another one now is asked for at once; one that is known is told from memory otherwise. */
const listHangs = serverStep(
  'a list hangs',
  (actor) => listsOf(actor).length > 0,
  (actor, story, [index, isNews]) => {
    const { mind, name } = actor.server;
    const method = pick(listsOf(actor), index) ?? 'resources/list';
    const says = isNews ? `, and says that ${method === 'prompts/list' ? 'prompts' : 'resources'} have changed` : '';
    return {
      sentence: `${name} answers no ${method} any more${says}`,
      async act() {
        story.counts.faults += 1;
        mind.hanging.add(method);
        if (isNews) mind.announce(method === 'prompts/list' ? 'prompts' : 'resources');
        await checkKnown(story);
        // A list that is known is told from memory, one that is not cannot be judged.
        actor.isListed = false;
        actor.awaited.clear();
      },
    };
  },
  fc.tuple(fc.nat({ max: 5 }), fc.boolean()),
);

const isConfigured = (actor: Actor): boolean => actor.isConfigured;

const comes = serverStep(
  'a server is added',
  (actor) => !actor.isConfigured,
  (actor, story) => ({
    sentence: `a reload adds ${actor.server.name}`,
    async act() {
      actor.isConfigured = true;
      story.disturb(actor, false);
      await story.reload();
    },
  }),
);

const leaves = serverStep('a server is removed', isConfigured, (actor, story) => ({
  sentence: `a reload removes ${actor.server.name}`,
  async act() {
    actor.isConfigured = false;
    actor.isKnown = false;
    story.disturb(actor, false);
    await story.reload();
  },
}));

const isAltered = serverStep('a server is described otherwise', isConfigured, (actor, story) => ({
  sentence: `a reload describes ${actor.server.name} otherwise`,
  async act() {
    actor.server.alterations += 1;
    actor.isKnown = false;
    story.disturb(actor, false);
    await story.reload();
  },
}));

const FRONT = fc.constantFrom<'http' | 'stdio'>('http', 'stdio');
const ERA = fc.constantFrom<Era>('2025-11-25', '2026-07-28');

const connects = fc.tuple(FRONT, ERA).map(
  ([front, era]) =>
    new Step('a client connects', (story) => {
      const name = USERS[story.players.length];
      if (name === undefined) return undefined;
      return { sentence: `${name} connects over ${front} (${era})`, act: () => story.enter(name, front, era) };
    }),
);

/** A step of a client that has to do with a server. */
function clientStep<T>(
  name: string,
  more: fc.Arbitrary<T>,
  plan: (player: Player, actor: Actor, story: Story, more: T) => Plan | undefined,
): fc.Arbitrary<Step> {
  return fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 5 }), more).map(
    ([who, whose, given]) =>
      new Step(name, (story) => {
        const [player, actor] = [pick(story.players, who), pick(story.actors, whose)];
        return player === undefined || actor === undefined ? undefined : plan(player, actor, story, given);
      }),
  );
}

const calls = clientStep(
  'a client calls',
  fc.constantFrom<Verb>('read', 'create', 'update'),
  ({ client }, actor, story, verb) => ({
    sentence: `${client.name} calls ${verb}_${actor.server.name}`,
    async act() {
      const told = await story.call(client, story.newCall(client.name, actor, verb));
      if (told.isServed && actor.trouble === 'none' && actor.isConfigured) actor.isServed = true;
    },
  }),
);

const MEETINGS = {
  'it dies': (actor: Actor) => {
    actor.trouble = 'down';
    return actor.server.die();
  },
  'it is redeployed': ({ server }: Actor) => server.restart(),
  'it hangs': async (actor: Actor) => hang(actor),
  'its connections are cut': async ({ server }: Actor) => server.door.cut(),
  'it goes deaf': async (actor: Actor) => deafen(actor),
  'a reload describes it otherwise': async (actor: Actor, story: Story) => {
    actor.server.alterations += 1;
    actor.isKnown = false;
    await story.reload();
  },
  'a reload removes it': async (actor: Actor, story: Story) => {
    actor.isConfigured = false;
    actor.isKnown = false;
    await story.reload();
  },
  'the client cancels it': async (_: Actor, __: Story, sent: SentRequest) => sent.cancel?.(),
  'the client loses its connection': async (_: Actor, __: Story, ___: SentRequest, { client }: Player) => client.drop(),
} as const;

type Meeting = keyof typeof MEETINGS;

/** Whatever happens while a write has run and is not answered: its end tells the truth, and it runs once. */
const writeMeets = clientStep(
  'something happens during a write',
  fc.tuple(fc.constantFrom<Verb>('create', 'update'), fc.constantFrom(...(Object.keys(MEETINGS) as Meeting[]))),
  (player, actor, story, [verb, meeting]) => {
    const { client } = player;
    const { mind, name } = actor.server;
    if (actor.trouble !== 'none' || !actor.isConfigured) return undefined;
    return {
      sentence: `${client.name} calls ${verb}_${name}, and when it has run ${meeting}`,
      async act() {
        mind.holdsWrites = true;
        const sent: SentRequest = {};
        const call = story.newCall(client.name, actor, verb);
        const ending = story.call(client, call, sent);
        ending.catch(() => undefined);
        const hasRun = await Promise.race([mind.untilHeld().then(() => true), ending.then(() => false)]);
        if (hasRun) {
          if (!meeting.startsWith('the client')) story.disturb(actor);
          await MEETINGS[meeting](actor, story, sent, player);
          if (meeting.startsWith('the client')) await backAgain(player, story);
        }
        mind.release();
        await ending;
      },
    };
  },
);

/** What a program is told is true, and what it would change is changed by one call after the other, however it makes them. */
const runsProgram = clientStep('a client runs a program', fc.boolean(), ({ client }, actor, story, dies) => {
  const { mind, name } = actor.server;
  if (story.mode === 'passthrough' || !actor.isServed) return undefined;
  const meets = dies ? `, and when the first write has run ${name} dies` : '';
  return {
    sentence: `${client.name} runs a program that reads and writes twice at ${name}${meets}`,
    async act() {
      const verbs: readonly Verb[] = ['read', 'create', 'update'];
      const calls = verbs.map((verb) => story.newCall(client.name, actor, verb));
      mind.holdsWrites = true;
      const ending = runProgram(story, client, calls);
      ending.catch(() => undefined);
      const hasRun = await Promise.race([mind.untilHeld().then(() => true), ending.then(() => false)]);
      if (hasRun) {
        // Time for what must not come.
        await sleep(200);
        const runs = calls.filter(({ id, verb }) => verb !== 'read' && mind.runs.has(id));
        if (runs.length > 1) throw new Violation('writes of a program run beside each other', `at ${name}`);
      }
      if (hasRun && dies) {
        story.disturb(actor);
        actor.trouble = 'down';
        await actor.server.die();
      }
      mind.release();
      await ending;
    },
  };
});

/** A write after a pause is not sent into the void, though the connection is dead. */
const deafInPause = clientStep('a server goes deaf in a pause', fc.constant(undefined), ({ client }, actor, story) => {
  const { name } = actor.server;
  // A list that is being read is something in flight, which may keep a server from answering a ping.
  if (!story.provesConnections || !actor.isServed || !actor.isListed || actor.hasHung) return undefined;
  return {
    sentence: `${name} goes deaf in a pause, and a second later ${client.name} calls create_${name}`,
    async act() {
      story.disturb(actor);
      // Meanwhile it has shown that it answers pings.
      await sleep(IDLE_MS);
      deafen(actor);
      await sleep(1.5 * IDLE_MS);
      const told = await story.call(client, story.newCall(client.name, actor, 'create'));
      if (!told.isServed && told.outcome !== 'not_run')
        throw new Violation('a write is sent into the void', `create_${name}: ${told.words}`);
    },
  };
});

/** In a session over HTTP an answer is not lost with its connection. */
const fetchesAnswer = clientStep(
  'a client comes back for an answer',
  fc.constantFrom<Verb>('create', 'update'),
  (player, actor, story, verb) => {
    const { client } = player;
    const { mind, name } = actor.server;
    if (!(client instanceof HttpClient) || client.era !== '2025-11-25' || !actor.isServed) return undefined;
    return {
      sentence: `${client.name} calls ${verb}_${name}, loses its connection when it has run, and comes back for the answer`,
      async act() {
        story.counts.faults += 1;
        mind.holdsWrites = true;
        const sent: SentRequest = {};
        const call = story.newCall(client.name, actor, verb);
        const ending = story.call(client, call, sent);
        ending.catch(() => undefined);
        await within(ENDING_MS, mind.untilHeld());
        await eventually(ENDING_MS, async () => (sent.eventId === undefined ? 'no id has come' : undefined));
        client.drop();
        await ending;
        const coming = within(ENDING_MS, client.comeBackFor(sent));
        mind.release();
        await backAgain(player, story);
        const told = judge(call, (await coming) ?? { kind: 'lost' });
        if (!told.isServed) throw new Violation('an answer is lost with its connection', `${call.id}: ${told.words}`);
      },
    };
  },
);

/** Nobody's pace of reading is anybody's affair: the gateway keeps the stream alive, and the answer comes whole. */
const readsSlowly = clientStep('a client reads slowly', fc.constant(undefined), ({ client }, actor, story) => {
  const { mind, name } = actor.server;
  if (!(client instanceof HttpClient) || client.era !== '2025-11-25' || !actor.isServed) return undefined;
  return {
    sentence: `${client.name} calls create_${name}, whose answer is large, and does not read for a while`,
    async act() {
      mind.holdsWrites = true;
      const sent: SentRequest = {};
      const call = story.newCall(client.name, actor, 'create');
      const ending = story.call(client, { ...call, id: `${LARGE}${call.id}` }, sent);
      ending.catch(() => undefined);
      await within(ENDING_MS, mind.untilHeld());
      await eventually(ENDING_MS, async () => (sent.eventId === undefined ? 'no id has come' : undefined));
      client.pause();
      mind.release();
      await sleep(3 * KEEP_ALIVE_MS);
      client.resume();
      const told = await ending;
      if (!told.isServed) throw new Violation('a slow reader loses its answer', `${call.id}: ${told.words}`);
    },
  };
});

/** A client whose connection has gone comes back, over HTTP with its session. */
async function backAgain(player: Player, story: Story): Promise<void> {
  const { client } = player;
  player.watched = undefined;
  if (client.front === 'http') return;
  const reply = await within(ENDING_MS, client.shakeHands());
  if (reply?.kind !== 'result')
    throw new Violation('a handshake fails', `${client.name} over stdio: ${JSON.stringify(reply)}`);
  story.counts.faults += 1;
}

const losesConnection = clientStep(
  'a client loses its connection',
  fc.constant(undefined),
  (player, _actor, story) => ({
    sentence: `${player.client.name} loses its connection and comes back`,
    async act() {
      player.client.drop();
      await backAgain(player, story);
    },
  }),
);

const watches = clientStep('a client watches a resource', fc.constant(undefined), (player, actor) => {
  const { mind, name } = actor.server;
  if (!actor.isServed || !actor.isListed || !mind.offer.resources || player.watched !== undefined) return undefined;
  return {
    sentence: `${player.client.name} subscribes to ${name}'s resource`,
    async act() {
      const { uri } = mind;
      if (
        (await within(
          ENDING_MS,
          player.client.listen(uri).then(() => true),
        )) === undefined
      )
        throw new Violation('a subscription is never answered', `${player.client.name}, ${uri}`);
      player.watched = { actor, uri };
    },
  };
});

const touches = clientStep('a resource changes', fc.constant(undefined), ({ client, watched }) => {
  if (watched === undefined || !watched.actor.isServed || watched.actor.server.mind.uri !== watched.uri)
    return undefined;
  const { mind, name } = watched.actor.server;
  if (!mind.offer.resources) return undefined;
  return {
    sentence: `${name}'s resource changes, to which ${client.name} has subscribed`,
    async act() {
      const before = client.heard.length;
      const wrong = await eventually(RECOVERY_MS, async () => {
        mind.touch();
        await sleep(20);
        return client.heard.slice(before).some(({ method }) => method === 'notifications/resources/updated')
          ? undefined
          : `${client.name} (${client.front}, ${client.era}) hears nothing of ${watched.uri}`;
      });
      if (wrong !== undefined) throw new Violation('news of a resource does not come', wrong);
    },
  };
});

const connectsAccount = clientStep(
  'a user connects an account',
  fc.constant(undefined),
  ({ client }, _actor, story) => {
    const { users } = story.world;
    if (users === undefined || client.front !== 'http' || users.connected.has(client.name)) return undefined;
    return {
      sentence: `${client.name} connects an account at the server of diaries`,
      async act() {
        const page = await within(ENDING_MS, users.connect(client.name));
        if (page?.includes('is connected') !== true)
          throw new Violation('an account cannot be connected', `${client.name}: ${page}`);
      },
    };
  },
);

const allSettles = fc.constant(undefined).map(
  () =>
    new Step('all settles', (story) => ({
      sentence: 'everybody waits until all is well',
      act: () => settle(story),
    })),
);

const timePasses = fc
  .constant(undefined)
  .map(() => new Step('time passes', () => ({ sentence: 'six seconds pass', act: () => sleep(6_000) })));

/** The kinds of steps and how often each comes. */
const stepsOf = (without: readonly string[]): Readonly<Record<string, readonly [number, fc.Arbitrary<Step>]>> => ({
  dies: [3, dies],
  hangs: [2, fallsSilent],
  deaf: [2, goesDeaf],
  well: [5, getsWell],
  redeployed: [4, isRedeployed(without)],
  forgets: [3, forgetsSessions],
  changes: [2, changesLists],
  'lists-hang': [5, listHangs],
  added: [2, comes],
  removed: [1, leaves],
  altered: [1, isAltered],
  connects: [3, connects],
  calls: [4, calls],
  meets: [4, writeMeets],
  fetches: [3, fetchesAnswer],
  'reads-slowly': [1, readsSlowly],
  'deaf-in-pause': [3, deafInPause],
  drops: [1, losesConnection],
  watches: [2, watches],
  touches: [2, touches],
  accounts: [3, connectsAccount],
  programs: [2, runsProgram],
  settles: [4, allSettles],
  passes: [2, timePasses],
});

/** Worlds to begin with. @param without kinds of servers, and `capabilities`: then each server has all of them */
export function settingsOf(without: readonly string[]): fc.Arbitrary<Setting> {
  const beginning: fc.Arbitrary<Beginning> = fc.record({
    kind: fc.constantFrom(...SERVER_KINDS.filter((kind) => !without.includes(kind))),
    offer: offers(without),
    starts: fc.oneof(
      { weight: 3, arbitrary: fc.constant<Beginning['starts']>('at once') },
      { weight: 1, arbitrary: fc.constant<Beginning['starts']>('slowly') },
      { weight: 1, arbitrary: fc.constant<Beginning['starts']>('never') },
    ),
    isConfigured: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  });
  return fc.record({
    mode: fc.constantFrom<Setting['mode']>('semantic', 'passthrough', 'single', 'all'),
    provesConnections: fc.boolean(),
    hasUsers: without.includes('accounts') ? fc.constant(false) : fc.boolean(),
    servers: fc.uniqueArray(beginning, { minLength: 1, maxLength: 3, selector: ({ kind }) => kind, size: 'max' }),
    client: fc.record({ front: FRONT, era: ERA }),
  });
}

/** @param without kinds of steps that are left out, to find what hides behind them */
export function stories(maxSteps: number, without: readonly string[] = []): fc.Arbitrary<Iterable<Step>> {
  const kinds = Object.entries(stepsOf(without)).filter(([name]) => !without.includes(name));
  const weighted = kinds.map(([, [weight, arbitrary]]) => ({ weight, arbitrary }));
  const one: fc.Arbitrary<Step> = fc.oneof(...weighted);
  return fc.commands<Story, Story, false>([one], { maxCommands: maxSteps, size: 'max' }) as unknown as fc.Arbitrary<
    Iterable<Step>
  >;
}
