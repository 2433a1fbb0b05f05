import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import { corpusIsHere, readCorpus, sampleOf } from '../support/corpus.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';
import { minutes } from '../support/patience.js';
import { type ReplayServer, startReplayServer } from '../support/replay-server.js';
import { type ServedGateway, serveGateway } from '../support/served-gateway.js';

const TOOL = 'mcp_aql';
const PER_BATCH = 100;
/** Of one parameter. */
const MOST_CHOICES = 4;

interface Described {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly type: string;
    readonly required: boolean;
    readonly enum?: readonly unknown[];
    readonly description?: string;
  }[];
  readonly examples: readonly { readonly request: { readonly params?: JsonObject } }[];
}

/** What a description says of agreement: `[destructive: needs confirmation, but not with dry_run=true]`. */
interface Tag {
  readonly gate: 'asks' | 'may ask' | 'denied' | 'open';
  readonly hasException: boolean;
  /** The arguments that it says raise the danger, as written. */
  readonly risks: string;
}

const GATES: Readonly<Record<string, Tag['gate']>> = {
  'needs confirmation': 'asks',
  "needs a person's approval": 'asks',
  'may need confirmation': 'may ask',
  denied: 'denied',
};

function readTag(description: string): Tag {
  const [, gate = '', exception = ''] = /\[\w+: ([a-z' ]+)((?:, but [^\]]*)?)\]/.exec(description) ?? [];
  const [, risks = ''] = /\[\w+ with ([^\]]*)\]/.exec(description) ?? [];
  return { gate: GATES[gate] ?? 'open', hasException: exception !== '', risks };
}

interface Attempt {
  readonly operation: string;
  readonly params: JsonObject;
  readonly tag: Tag;
  /** Whether it has nothing but what the operation requires. */
  readonly isPlain: boolean;
}

/** The gateway's own example of a call, and the same with each flag and choice that the description offers. */
function attemptsOf({ name, description, parameters, examples }: Described): readonly Attempt[] {
  const tag = readTag(description);
  const plain = examples[0]?.request.params ?? {};
  const chosen = parameters.flatMap((parameter) => {
    // The gateway's own, with which nothing runs.
    if (parameter.description === 'Preview without executing') return [];
    const choices = parameter.enum ?? (parameter.type === 'boolean' ? [true, false] : []);
    return choices.slice(0, MOST_CHOICES).map((value) => ({ ...plain, [parameter.name]: value }));
  });
  return [
    { operation: name, params: plain, tag, isPlain: true },
    ...chosen.map((params) => ({ operation: name, params, tag, isPlain: false })),
  ];
}

/** Whether the gate did what the tag says. */
function isFaithful({ tag, isPlain, params }: Attempt, code: string): boolean {
  const asked = code === 'CONFIRMATION_REQUIRED';
  const denied = code.startsWith('PERMISSION_');
  if (denied || tag.gate === 'denied') return denied && tag.gate === 'denied';
  if (tag.gate === 'asks') return asked || (tag.hasException && !isPlain);
  if (tag.gate === 'open') return !asked;
  // What asks has an argument that the tag names, or one of more than it has room for.
  return !asked || / unless | more$/.test(tag.risks) || namesOf(params).some((name) => tag.risks.includes(name));
}

function namesOf(params: JsonObject): readonly string[] {
  const input = params['input'];
  return [...Object.keys(params), ...(typeof input === 'object' && input !== null ? Object.keys(input) : [])];
}

const text = { type: 'string' };
const flag = { type: 'boolean' };
const aTool = (name: string, description: string, properties: object, required: readonly string[] = []) => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required },
});

const OWN = [
  aTool('list_notes', 'Lists notes.', { folder: text }),
  aTool('create_note', 'Creates a note.', { text }, ['text']),
  aTool('delete_note', 'Deletes a note.', { id: text }, ['id']),
  aTool('wipe_disk', 'Formats the disk and destroys all data.', {}),
  aTool('remove_pages', 'Removes pages.', { section: text, dryRun: flag }),
  aTool('git_push', 'Pushes commits to a remote.', { branch: text, force: flag, delete: flag }),
  aTool('take_snapshot', 'Gets a snapshot of the page.', { filename: text }),
  aTool('capture_page', 'Captures the page.', { save_to: { ...text, description: 'Save the page to this file' } }, [
    'save_to',
  ]),
  aTool('query', 'Runs an SQL query.', { sql: text }, ['sql']),
];

const CATALOGS: readonly (readonly [
  name: string,
  skip: boolean,
  read: () => ReadonlyMap<string, readonly unknown[]>,
])[] = [
  ['operations of every kind', false, () => new Map([['own', OWN]])],
  [
    'a third of 2,377 real operations (skipped without ../shared/corpus)',
    !corpusIsHere,
    () => new Map(readCorpus().map(({ upstream, tools }) => [upstream, tools])),
  ],
];

interface Outcome {
  readonly data?: unknown;
  readonly error?: { readonly code: string };
}

describe.each(CATALOGS)('the description of %s', (_name, skip, read) => {
  let upstream: ReplayServer;
  let gateway: ServedGateway;
  let client: McpClient;

  beforeAll(async () => {
    if (skip) return;
    const catalogs = read();
    upstream = await startReplayServer(catalogs);
    gateway = await serveGateway({
      endpoint: { mode: 'single' },
      // A batch that skips gives the answer of each call by itself.
      batch: { onConfirmation: 'skip', maxOperations: PER_BATCH },
      store: { type: 'memory' },
      results: { maxTokens: 0 },
      policy: { confirmation: { maxIssuedPerMinute: 100_000 } },
      mcpServers: Object.fromEntries([...catalogs.keys()].map((slug) => [slug, { url: upstream.urlOf(slug) }])),
    });
    client = await connectClient(gateway.url);
  }, minutes(5));

  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
    await upstream?.[Symbol.asyncDispose]();
  });

  async function runAll(operations: readonly JsonObject[]): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (let from = 0; from < operations.length; from += PER_BATCH) {
      const { raw } = await client.callTool(TOOL, { operations: operations.slice(from, from + PER_BATCH) });
      const [{ text: envelope }] = raw['content'] as [{ readonly text: string }];
      const { results } = JSON.parse(envelope) as { readonly results: readonly { readonly result: Outcome }[] };
      outcomes.push(...results.map(({ result }) => result));
    }
    return outcomes;
  }

  async function listNames(): Promise<readonly string[]> {
    const names: string[] = [];
    let after: string | null = null;
    do {
      const more: JsonObject = after === null ? {} : { after };
      const { data } = await client.call(TOOL, 'introspect', { query: 'operations', first: 500, ...more });
      names.push(...data.operations.map(({ name }: { readonly name: string }) => name));
      after = data._protocol.page.after;
    } while (after !== null);
    return names.filter((name) => name !== 'introspect');
  }

  it.skipIf(skip)(
    'says which calls ask for confirmation, are denied, or run',
    async () => {
      const names = await listNames();
      const details = (names.length > OWN.length * 2 ? sampleOf(names) : names).map((name) => ({
        operation: 'introspect',
        params: { query: 'operations', name },
      }));
      const described = (await runAll(details)).map(
        ({ data }) => (data as { readonly operation: Described }).operation,
      );
      const attempts = described.flatMap(attemptsOf);
      const codes = (await runAll(attempts.map(({ operation, params }) => ({ operation, params })))).map(
        ({ error }) => error?.code ?? 'OK',
      );
      const judged = attempts
        .map((attempt, index) => ({ attempt, code: codes[index] ?? '' }))
        .filter(({ code }) => !code.startsWith('VALIDATION_'));
      expect(judged.length).toBeGreaterThan(attempts.length * 0.8);
      expect(judged.filter(({ attempt, code }) => !isFaithful(attempt, code))).toEqual([]);
      // Where what raises the danger is required, every call asks, and "may" would be too little.
      const required = described.filter(({ description, parameters }) => {
        const { gate, risks } = readTag(description);
        return gate === 'may ask' && parameters.some((each) => each.required && risks.split(', ').includes(each.name));
      });
      expect(required.map(({ name }) => name)).toEqual([]);
    },
    minutes(5),
  );
});
