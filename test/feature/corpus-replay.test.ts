import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonSchema } from '../../src/protocol/json.js';
import { toSnakeCase } from '../../src/protocol/snake-case.js';
import { corpusIsHere } from '../support/corpus.js';
import { createDice, generateArguments } from '../support/generate-arguments.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';
import { type ReplayServer, startReplayServer } from '../support/replay-server.js';
import { REPOSITORY, type ServedGateway, serveGateway } from '../support/served-gateway.js';

const FOLDER = join(REPOSITORY, '../shared/corpus/tools');
const TRIES = 25;

interface Listed {
  readonly name: string;
  readonly endpoint: string;
}

interface Detailed {
  readonly semantic_category: string;
  readonly mcpTool: string;
  readonly parameters: readonly { readonly name: string }[];
}

/** What is known of one operation from outside: its raw tool and how introspection describes it. */
interface Subject {
  readonly catalogue: string;
  readonly tool: { readonly name: string; readonly inputSchema: JsonSchema };
  readonly operation: string;
}

function readCatalogues(): ReadonlyMap<string, readonly Subject['tool'][]> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return new Map(
    files.map((file) => [
      file.replace(/\.json$/, ''),
      (JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as { tools: Subject['tool'][] }).tools,
    ]),
  );
}

const OPTIONS = { strict: false, validateSchema: false, logger: false } as const;

/** Whether the tool's own schema takes the arguments, judged without the gateway. */
function isValid(schema: JsonSchema, args: JsonObject): boolean {
  const modern = String(schema['$schema'] ?? '').includes('2020-12');
  const ajv = modern ? new Ajv2020(OPTIONS) : new Ajv(OPTIONS);
  addFormats.default(ajv);
  try {
    return ajv.validate(schema, args);
  } catch {
    // A schema that does not compile accepts everything.
    return true;
  }
}

/** The arguments of a direct caller in MCP-AQL's form, as introspection says. */
function toParams(args: JsonObject, { semantic_category: category, parameters }: Detailed): JsonObject {
  const named = Object.entries(args).map(([key, value]) => [toSnakeCase(key, 'p'), value] as const);
  if (category !== 'UPDATE') return Object.fromEntries(named);
  const identifiers = new Set(parameters.map(({ name }) => name).filter((name) => name !== 'input'));
  const isIdentifier = ([name]: readonly [string, unknown]) => identifiers.has(name);
  const input = named.filter((entry) => !isIdentifier(entry));
  return {
    ...Object.fromEntries(named.filter(isIdentifier)),
    ...(identifiers.size < parameters.length ? { input: Object.fromEntries(input) } : {}),
  };
}

describe.skipIf(!corpusIsHere)('2,266 real tools at once, replayed (skipped without ../shared/corpus)', () => {
  const catalogues = corpusIsHere ? readCatalogues() : new Map<string, readonly Subject['tool'][]>();
  let upstream: ReplayServer;
  let gateway: ServedGateway;
  let client: McpClient;
  const listed = new Map<string, Listed>();

  beforeAll(async () => {
    upstream = await startReplayServer(catalogues);
    const mcpServers = Object.fromEntries(
      [...catalogues.keys()].map((name) => [
        name,
        // Danger is another matter: here everything must be callable.
        { type: 'http', url: upstream.urlOf(name), operations: { '*': { danger: 'reversible' } } },
      ]),
    );
    gateway = await serveGateway({ mcpServers });
    client = await connectClient(gateway.url);
    let after: string | null = null;
    do {
      const answer = await client.introspect({ query: 'operations', first: 500, ...(after === null ? {} : { after }) });
      for (const operation of answer.data.operations as Listed[]) listed.set(operation.name, operation);
      after = answer.data._protocol.page.after as string | null;
    } while (after !== null);
  }, 120_000);

  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
    await upstream?.[Symbol.asyncDispose]();
  });

  function operationOf(catalogue: string, tool: string): string {
    const bare = toSnakeCase(tool);
    const qualified = `${toSnakeCase(catalogue, 'mcp')}__${bare}`;
    return listed.has(qualified) ? qualified : bare;
  }

  it('lists every operation', () => {
    expect(gateway.report.status.upstreams.map(({ state }) => state)).toEqual(Array.from(catalogues, () => 'ready'));
    const missing = [...catalogues].flatMap(([catalogue, tools]) =>
      tools.filter(({ name }) => !listed.has(operationOf(catalogue, name))).map(({ name }) => `${catalogue}::${name}`),
    );
    expect(missing).toEqual([]);
    expect(listed.size).toBe([...catalogues.values()].reduce((sum, tools) => sum + tools.length, 1));
  });

  it('details and calls every one, and the upstream receives what a direct caller would have sent', async () => {
    const wrong: unknown[] = [];
    let called = 0;
    for (const [catalogue, tools] of catalogues) {
      const outcomes = await Promise.all(
        tools.map((tool) => tryOperation({ catalogue, tool, operation: operationOf(catalogue, tool.name) })),
      );
      for (const outcome of outcomes) {
        if (outcome === 'called') called += 1;
        else wrong.push(outcome);
      }
    }
    expect(wrong).toEqual([]);
    expect(called).toBe(listed.size - 1);
  }, 180_000);

  async function tryOperation({ catalogue, tool, operation }: Subject): Promise<unknown> {
    const details = (await client.introspect({ query: 'operations', name: operation })).data.operation as Detailed;
    const dice = createDice(tool.name.length * 7919);
    const schema = isJsonObject(tool.inputSchema) ? tool.inputSchema : {};
    let args = generateArguments(schema, dice);
    for (let tries = 1; tries < TRIES && !isValid(schema, args); tries += 1) args = generateArguments(schema, dice);
    if (!isValid(schema, args)) return { catalogue, tool: tool.name, problem: 'no valid arguments generated', args };
    const answer = await client.call(details.mcpTool, operation, toParams(args, details));
    const expected = { success: true, data: { name: tool.name, arguments: args } };
    const { raw: _raw, ...envelope } = answer;
    return JSON.stringify(envelope) === JSON.stringify(expected) || isEqual(envelope, expected)
      ? 'called'
      : { catalogue, tool: tool.name, sent: args, got: envelope };
  }
});

function isEqual(a: unknown, b: unknown): boolean {
  try {
    expect(a).toEqual(b);
    return true;
  } catch {
    return false;
  }
}
