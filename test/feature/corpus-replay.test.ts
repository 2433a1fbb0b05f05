import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonSchema } from '../../src/base/json/json.js';
import { toSnakeCase } from '../../src/base/lib/names.js';
import { corpusIsHere, sampleOf } from '../support/corpus.js';
import { createDice, generateArguments, withoutForeign } from '../support/generate-arguments.js';
import { type LeanCall, leanCaller } from '../support/lean-client.js';
import { minutes, waitFor } from '../support/patience.js';
import { type ReplayServer, startReplayServer } from '../support/replay-server.js';
import { REPOSITORY, type ServedGateway, serveGateway } from '../support/served-gateway.js';

const FOLDER = join(REPOSITORY, '../shared/corpus/tools');
const AT_ONCE = 40;
const TRIES = 25;

interface Listed {
  readonly name: string;
  readonly endpoint: string;
  readonly classification: { readonly upstream: string; readonly tool: string };
}

interface Detailed {
  readonly semantic_category: string;
  readonly mcpTool: string;
  readonly parameters: readonly { readonly name: string }[];
}

/** One operation as a client sees it: its raw tool and its description by introspection. */
interface Subject {
  readonly catalogue: string;
  readonly tool: {
    readonly name: string;
    readonly inputSchema: JsonSchema;
    readonly execution?: { readonly taskSupport?: string };
  };
  readonly operation: string;
  /** The arguments that the operation sends by itself, where it is a part of a grouped tool. */
  readonly fixed: JsonObject;
}

/** A tool that only runs as a task is not offered. */
function runsWithoutTask({ execution }: Subject['tool']): boolean {
  return execution?.taskSupport !== 'required';
}

function readCatalogues(): ReadonlyMap<string, readonly Subject['tool'][]> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return new Map(
    files.map((file) => [
      file.replace(/\.json$/, ''),
      (JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as { tools: Subject['tool'][] }).tools.filter(
        runsWithoutTask,
      ),
    ]),
  );
}

const OPTIONS = { strict: false, validateSchema: false, logger: false } as const;

/** Says whether the tool's own schema accepts arguments, checked without the gateway. Compiled once: compiling is most of the work. */
function openCheck(schema: JsonSchema): (args: JsonObject) => boolean {
  const modern = String(schema['$schema'] ?? '').includes('2020-12');
  const ajv = modern ? new Ajv2020(OPTIONS) : new Ajv(OPTIONS);
  addFormats.default(ajv);
  try {
    const validate = ajv.compile(schema);
    return (args) => validate(args) === true;
  } catch {
    // A schema that does not compile accepts everything.
    return () => true;
  }
}

/** The arguments of a direct caller in MCP-AQL's form, without those that the operation sends by itself. */
function toParams(
  args: JsonObject,
  fixed: JsonObject,
  { semantic_category: category, parameters }: Detailed,
): JsonObject {
  const own = Object.entries(args).filter(([key]) => !Object.hasOwn(fixed, key));
  const named = own.map(([key, value]) => [toSnakeCase(key, 'p'), value] as const);
  if (category !== 'UPDATE') return Object.fromEntries(named);
  const identifiers = new Set(parameters.map(({ name }) => name).filter((name) => name !== 'input'));
  const isIdentifier = ([name]: readonly [string, unknown]) => identifiers.has(name);
  const input = named.filter((entry) => !isIdentifier(entry));
  return {
    ...Object.fromEntries(named.filter(isIdentifier)),
    ...(identifiers.size < parameters.length ? { input: Object.fromEntries(input) } : {}),
  };
}

describe.skipIf(!corpusIsHere)('a gateway with 2,266 real tools (skipped without ../shared/corpus)', () => {
  const catalogues = corpusIsHere ? readCatalogues() : new Map<string, readonly Subject['tool'][]>();
  let upstream: ReplayServer;
  let gateway: ServedGateway;
  let call: LeanCall;
  const listed = new Map<string, Listed>();
  const byTool = new Map<string, readonly string[]>();
  const subjects: Subject[] = [];

  beforeAll(async () => {
    upstream = await startReplayServer(catalogues);
    const mcpServers = Object.fromEntries(
      [...catalogues.keys()].map((name) => [
        name,
        // Every operation must be callable here, so none is dangerous.
        { type: 'http', url: upstream.urlOf(name), operations: { '*': { danger: 'reversible', risks: [] } } },
      ]),
    );
    // Hundreds of calls at once may take long on a busy machine: no answer has a warning about it.
    gateway = await serveGateway({ mcpServers, warnings: { slowMs: 3_600_000 } });
    call = leanCaller(gateway.url);
    // Clients may connect before a slow machine has read every list.
    await waitFor(async () => expect((await fetch(new URL('/readyz', gateway.url))).status).toBe(200));
    let after: string | null = null;
    do {
      const query = { query: 'operations', first: 500, include: ['classification'] };
      const answer = await introspect({ ...query, ...(after === null ? {} : { after }) });
      for (const operation of answer.data.operations as Listed[]) note(operation);
      after = answer.data._protocol.page.after as string | null;
    } while (after !== null);
    for (const [catalogue, tools] of catalogues) {
      for (const tool of tools) subjects.push(...(await findSubjects(catalogue, tool)));
    }
  });

  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]();
    await upstream?.[Symbol.asyncDispose]();
  });

  const introspect = (params: JsonObject) => call('mcp_aql_read', 'introspect', params);

  function note(operation: Listed): void {
    listed.set(operation.name, operation);
    const { upstream: slug, tool } = operation.classification;
    byTool.set(`${slug} ${tool}`, [...(byTool.get(`${slug} ${tool}`) ?? []), operation.name]);
  }

  /** The operations of a tool: one, or the several parts that the answer to its own name lists. */
  async function findSubjects(catalogue: string, tool: Subject['tool']): Promise<readonly Subject[]> {
    const slug = toSnakeCase(catalogue, 'mcp');
    const names = [...(byTool.get(`${slug} ${tool.name}`) ?? [])];
    const qualified = `${slug}__${toSnakeCase(tool.name)}`;
    if (names.length === 1) return [{ catalogue, tool, operation: names[0] ?? '', fixed: {} }];
    const { error } = await call('mcp_aql_read', qualified);
    const parts = (error?.details?.['candidates'] ?? []) as readonly { operation: string; fixed: JsonObject }[];
    expect(parts.map(({ operation }) => operation).sort(), qualified).toEqual(names.sort());
    return parts.map(({ operation, fixed }) => ({ catalogue, tool, operation, fixed }));
  }

  it('lists every operation', () => {
    expect(gateway.report.status.upstreams).toHaveLength(catalogues.size);
    const found = new Set(subjects.map(({ catalogue, tool }) => `${catalogue}::${tool.name}`));
    const tools = [...catalogues].flatMap(([catalogue, list]) => list.map(({ name }) => `${catalogue}::${name}`));
    expect(tools.filter((tool) => !found.has(tool))).toEqual([]);
    expect(subjects.map(({ operation }) => operation).sort()).toEqual(
      [...listed.keys()].filter((name) => name !== 'introspect').sort(),
    );
  });

  it('offers a grouped tool as one operation for each of its values', () => {
    const parts = subjects.filter(({ fixed }) => Object.keys(fixed).length > 0);
    expect(parts.length).toBeGreaterThan(100);
    const sent = parts.map(({ catalogue, tool, fixed }) => JSON.stringify([catalogue, tool.name, fixed]));
    expect(new Set(sent).size).toBe(sent.length);
  });

  it(
    'describes and calls each of a third of all operations, and the upstream receives what a direct caller would have sent',
    async () => {
      const wrong: unknown[] = [];
      // The servers are in this process: making up arguments for hundreds of calls at once would leave them deaf for seconds.
      const tried = sampleOf(subjects);
      for (let next = 0; next < tried.length; next += AT_ONCE) {
        const outcomes = await Promise.all(tried.slice(next, next + AT_ONCE).map(tryOperation));
        wrong.push(...outcomes.filter((outcome) => outcome !== 'called'));
      }
      expect(wrong).toEqual([]);
    },
    minutes(3),
  );

  async function tryOperation({ catalogue, tool, operation, fixed }: Subject): Promise<unknown> {
    const details = (await introspect({ query: 'operations', name: operation })).data.operation as Detailed;
    const dice = createDice(tool.name.length * 7919);
    const schema = isJsonObject(tool.inputSchema) ? tool.inputSchema : {};
    const generate = (): JsonObject => ({
      ...withoutForeign(schema, generateArguments(schema, dice), fixed),
      ...fixed,
    });
    const isValid = openCheck(schema);
    let args = generate();
    for (let tries = 1; tries < TRIES && !isValid(args); tries += 1) args = generate();
    if (!isValid(args)) return { catalogue, tool: tool.name, problem: 'no valid arguments generated', args };
    const answer = await call(details.mcpTool, operation, toParams(args, fixed, details));
    const expected = { success: true, data: { name: tool.name, arguments: args } };
    return JSON.stringify(answer) === JSON.stringify(expected) || isEqual(answer, expected)
      ? 'called'
      : { catalogue, tool: tool.name, sent: args, got: answer };
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
