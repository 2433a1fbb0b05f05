import type { Transport } from '@modelcontextprotocol/client';
import type { GatewayConfig, UpstreamConfig } from '../config/gateway-config.js';
import { PlainClient, transportTo, transportToUrl } from './client.js';
import { compareEnvelope, compareKept, isSame } from './compare-answers.js';
import { compareOperations, comparePrimitives, compareTools, type Found } from './compare-lists.js';
import {
  ERAS,
  type Era,
  FACES,
  type Face,
  type Lists,
  type OfferedOperation,
  type Outcome,
  type PlannedCall,
  type ServerComparison,
} from './comparison.js';
import { decisionOn } from './decisions.js';
import { operationFor, planCalls } from './plan-calls.js';

export { listBinDirectories } from '../upstream/transport/resolve-command.js';

/** A gateway that serves one server with one face. */
export interface ServedFace {
  readonly url: string;
  /** What it offers of the server. */
  readonly operations: readonly OfferedOperation[];
  close(): Promise<void>;
}

export interface CompareDeps {
  /** Starts a gateway over one server. */
  readonly serve: (upstream: UpstreamConfig, face: Face) => Promise<ServedFace>;
  /** Folders such as `node_modules/.bin`, searched after PATH. */
  readonly binDirectories: readonly string[];
  /** Calls besides those that are proven safe. */
  readonly calls: readonly PlannedCall[];
}

/** Static resources that are read of a server. */
const MOST_READS = 10;

/**
 * Asks one server the same things directly and through each face of the gateway, in both eras. Never rejects; nothing of it is
 * left running.
 */
export async function compareServer(upstream: UpstreamConfig, deps: CompareDeps): Promise<ServerComparison> {
  const tally = new Tally(upstream.name);
  const problem = reasonToLeave(upstream);
  if (problem !== undefined) return tally.without(problem);
  try {
    for (const face of FACES) await compareFace(upstream, deps, face, tally);
    return tally.done();
  } catch (error) {
    return tally.without(error instanceof Error ? error.message : String(error));
  }
}

function reasonToLeave({ problem, disabled, credentials }: UpstreamConfig): string | undefined {
  if (problem !== undefined) return problem;
  if (disabled) return 'it is disabled';
  if (credentials !== undefined) return 'its calls use rights that a client of its own does not have';
  return undefined;
}

/** What has been compared so far, and found. */
class Tally {
  readonly #server: string;
  readonly #differences: ServerComparison['differences'][number][] = [];
  readonly #varying = new Set<string>();
  #listed = 0;
  #calls = 0;

  constructor(server: string) {
    this.#server = server;
  }

  listed(items: number): void {
    this.#listed += items;
  }

  /** @param varies whether two direct calls differ */
  asked(subject: string, varies: boolean): void {
    this.#calls += 1;
    if (varies) this.#varying.add(subject);
  }

  found(face: Face, era: Era, found: readonly Found[]): void {
    this.#differences.push(...found.map((each) => ({ face, era, ...each, ...decisionOn(face, each) })));
  }

  done(): ServerComparison {
    return {
      server: this.#server,
      compared: { listed: this.#listed, calls: this.#calls },
      varying: this.#varying.size,
      differences: this.#differences,
    };
  }

  without(problem: string): ServerComparison {
    return { ...this.done(), problem };
  }
}

async function compareFace(upstream: UpstreamConfig, deps: CompareDeps, face: Face, tally: Tally): Promise<void> {
  const served = await deps.serve(upstream, face);
  try {
    for (const era of ERAS) await compareEra(upstream, deps, { served, face, era, tally });
  } finally {
    await served.close();
  }
}

async function compareEra(upstream: UpstreamConfig, deps: CompareDeps, part: Part): Promise<void> {
  const { served, era } = part;
  const withDirect: Compared['withAnother'] = async (use) =>
    withClient(await transportTo(upstream.endpoint, deps.binDirectories), era, use);
  await withDirect((direct) =>
    withClient(transportToUrl(served.url), era, (through) =>
      compareThrough({ ...part, direct, through, withAnother: withDirect }, deps.calls),
    ),
  );
}

async function withClient<T>(transport: Transport, era: Era, use: (client: PlainClient) => Promise<T>): Promise<T> {
  const client = await PlainClient.connect(transport, era);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

async function compareThrough(compared: Compared, calls: readonly PlannedCall[]): Promise<void> {
  const { tools, resources } = await compareLists(compared);
  // Some servers have more for a client that has more abilities, as the gateway has where it stands in.
  const planned = planCalls(compared.served.operations).filter(({ tool }) => tools.has(tool));
  for (const call of [...planned, ...calls]) await compareCall(compared, call);
  for (const uri of [...resources.keys()].slice(0, MOST_READS)) {
    const ask = (client: PlainClient) => client.read(uri);
    await compareAnswers(compared, `resource '${uri}'`, { directly: ask, through: ask, judge: compareKept });
  }
}

/** One face in one era. */
interface Part {
  readonly served: ServedFace;
  readonly face: Face;
  readonly era: Era;
  readonly tally: Tally;
}

/** The two clients of one comparison. */
interface Compared extends Part {
  readonly direct: PlainClient;
  readonly through: PlainClient;
  /** With another direct client, of a process of its own where the server is one. */
  readonly withAnother: <T>(use: (client: PlainClient) => Promise<T>) => Promise<T>;
}

/** @returns the lists as they are directly */
async function compareLists({ direct, through, served, face, era, tally }: Compared): Promise<Lists> {
  const [there, here] = [await direct.lists(), await through.lists()];
  const tools =
    face === 'passthrough'
      ? compareTools(there.tools, here.tools, dangerousOf(served))
      : compareOperations(there.tools, new Set(served.operations.map(({ operation }) => operation.tool)));
  tally.listed(Object.values(there).reduce((sum, { size }) => sum + size, 0));
  tally.found(face, era, [...tools, ...comparePrimitives(there, here)]);
  return there;
}

async function compareCall(compared: Compared, call: PlannedCall): Promise<void> {
  const keepsNames = compared.face === 'passthrough';
  const asked = keepsNames ? call : operationFor(compared.served.operations, call);
  if (asked === undefined) return;
  await compareAnswers(compared, `call of '${call.tool}'`, {
    directly: (client) => client.call(call),
    through: (client) => client.call(asked),
    judge: keepsNames ? compareKept : compareEnvelope,
  });
}

interface Asking {
  readonly directly: (client: PlainClient) => Promise<Outcome>;
  readonly through: (client: PlainClient) => Promise<Outcome>;
  readonly judge: typeof compareKept;
}

/**
 * Asks directly before and after: what differs then varies by itself. So does what another process of the server answers otherwise: it tells
 * what its own has been asked.
 */
async function compareAnswers(compared: Compared, subject: string, asking: Asking): Promise<void> {
  const { direct, through, withAnother, face, era, tally } = compared;
  const before = await asking.directly(direct);
  const got = await asking.through(through);
  let varies = !isSame(before, await asking.directly(direct));
  const isChanged = asking.judge(subject, before, got, varies).some(({ kind }) => kind === 'changed');
  if (isChanged) varies = !isSame(before, await withAnother(asking.directly));
  tally.asked(subject, varies);
  tally.found(face, era, asking.judge(subject, before, got, varies));
}

/** Tools that the gateway rates so dangerous that policy refuses each call, unless an operator permits it. */
function dangerousOf({ operations }: ServedFace): ReadonlySet<string> {
  const dangerous = operations.filter(({ operation: { classification } }) =>
    ['dangerous', 'forbidden'].includes(classification.danger.level),
  );
  return new Set(dangerous.map(({ operation }) => operation.tool));
}

/** The configuration of a gateway that serves one server with one face to a client without a token, and leaves what others keep alone. */
export function configFor(config: GatewayConfig, upstream: UpstreamConfig, face: Face, dataDir: string): GatewayConfig {
  const { oauth: _oauth, tls: _tls, ...server } = config.server;
  return {
    ...config,
    dataDir,
    upstreams: [upstream],
    views: [],
    clients: [],
    store: { type: 'memory' },
    server: { ...server, host: '127.0.0.1', port: 0 },
    endpoint: { ...config.endpoint, mode: face, passthrough: face === 'passthrough' },
  };
}
