import type { JsonSchema } from '../../src/base/json/json.js';
import type { Operation } from '../../src/base/protocol/operation.js';
import type { RawTool, ToolSet } from '../../src/base/protocol/tools.js';
import { buildCatalog } from '../../src/catalog/build-catalog.js';
import type { WholeCatalog } from '../../src/catalog/catalog.js';
import type { ToolRecords } from '../../src/catalog/integrity/tool-record.js';
import type { NameHolders } from '../../src/catalog/names.js';
import type { UpstreamConfig } from '../../src/config/gateway-config.js';

/** An upstream's configuration with default values. */
export function anUpstream(slug: string, settings: Partial<UpstreamConfig> = {}): UpstreamConfig {
  return {
    name: slug,
    slug,
    endpoint: { type: 'http', url: 'http://upstream.invalid/mcp', headers: {} },
    disabled: false,
    timeoutMs: 60_000,
    maxCallMs: 900_000,
    connectTimeoutMs: 10_000,
    isolation: 'shared',
    instances: { max: 20, idleSeconds: 300, spare: 0 },
    maxConcurrency: 4,
    queue: { max: 1_000 },
    restarts: { max: 0, windowSeconds: 600 },
    protocol: 'auto',
    circuit: { failures: 0, openSeconds: 30 },
    pings: { afterIdleMs: 30_000, duringCallMs: 10_000 },
    required: false,
    maxAnswerBytes: 20_971_520,
    trust: 'validated',
    strict: true,
    formats: 'readable',
    readOnlyStatements: true,
    rowFunctions: 'possible',
    asks: { elicitation: 'allow', sampling: 'allow', roots: 'allow' },
    integrity: 'off',
    curation: [],
    relations: [],
    apiLimits: [],
    ...settings,
  };
}

export function aTool(name: string, inputSchema: JsonSchema = { type: 'object' }, members: RawTool = {}): RawTool {
  return { name, description: `Does ${name}.`, inputSchema, ...members };
}

/** A catalog of tools by upstream; upstreams that are not given are configured by default. */
export function buildTestCatalog(
  tools: Readonly<Record<string, readonly unknown[]>>,
  {
    upstreams = [],
    ...rest
  }: {
    readonly upstreams?: readonly UpstreamConfig[];
    readonly builtins?: readonly Operation[];
    readonly pins?: Readonly<Record<string, string>>;
    readonly holders?: NameHolders;
    readonly awaited?: readonly string[];
    readonly records?: ToolRecords;
  } = {},
): WholeCatalog {
  const toolSets = Object.entries(tools).map(
    ([upstream, list]): ToolSet => ({ upstream, tools: list as readonly RawTool[] }),
  );
  const given = new Set(upstreams.map(({ slug }) => slug));
  const others = toolSets.map((set) => set.upstream).filter((slug) => !given.has(slug));
  return buildCatalog({
    toolSets,
    upstreams: [...upstreams, ...others.map((slug) => anUpstream(slug))],
    builtins: [],
    pins: {},
    ...rest,
  });
}

/** The operation that one tool becomes. */
export function buildTestOperation(tool: RawTool, settings: Partial<UpstreamConfig> = {}): Operation {
  const catalog = buildTestCatalog({ server: [tool] }, { upstreams: [anUpstream('server', settings)] });
  const [operation] = catalog.operations;
  if (operation === undefined) throw new Error(`no operation: ${JSON.stringify(catalog.diagnostics)}`);
  return operation;
}
