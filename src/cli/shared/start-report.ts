import { measureJson } from '../../base/json/measure.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import type { Gateway, GatewayStatus } from '../../gateway/gateway.js';
import { oneLine, paintFor, printLine, type Terminal } from './terminal.js';
import { countInProcess } from './token-count.js';

/** What `serve` prints once it is ready; the shape of `serve --json`. */
interface StartReport {
  readonly url: string;
  readonly mode: string;
  readonly profile: string;
  readonly status: GatewayStatus;
  /** The names of the servers that have neither connected nor failed yet. */
  readonly starting: readonly string[];
}

/** The gateway as it is when all lists that have come are in the catalog, so that each count is of the same one. */
export async function describeStart(gateway: Gateway, url: string, isSettled: boolean): Promise<StartReport> {
  await gateway.toolList(undefined);
  const { mode, profile } = gateway.config.endpoint;
  const status = gateway.status();
  const starting = isSettled ? [] : status.upstreams.filter(({ state }) => state === 'starting');
  return { url, mode, profile: profile.name, status, starting: starting.map(({ name }) => name) };
}

export function printServers({ status }: StartReport, terminal: Terminal): void {
  const paint = paintFor(terminal.out);
  for (const upstream of status.upstreams) {
    const good = upstream.state === 'ready';
    const mark = good ? paint.green('ready') : paint.yellow(upstream.state);
    const about = good ? `${upstream.tools} tools, ${upstream.transport}` : oneLine(upstream.problem ?? '');
    printLine(terminal, `  ${upstream.name}: ${mark}${about === '' ? '' : ` (${about})`}`);
  }
}

/** The operations, and the tokens of their definitions: of all servers, or of those that are in so far, which have no final tokens. */
export async function printTotals(
  gateway: Gateway,
  { status, starting, mode, profile }: StartReport,
  terminal: Terminal,
  stopped: Promise<void>,
): Promise<void> {
  const families = status.families.map(({ name, operations }) => `${name} ${operations}`).join(', ');
  const words = `${status.operations} operations in mode ${mode}, profile ${profile}: ${families}`;
  if (starting.length > 0) {
    const are = starting.length === 1 ? 'server is' : 'servers are';
    printLine(terminal, `So far ${words}; ${starting.length} ${are} still starting`);
    return;
  }
  const tokens = await Promise.race([countTokens(gateway), stopped.then(() => undefined)]);
  printLine(terminal, words);
  if (tokens !== undefined) printLine(terminal, describeTokens(tokens));
}

/** The same counts when every server has connected or failed, unless the gateway stops before. */
export async function printOnceSettled(
  gateway: Gateway,
  url: string,
  terminal: Terminal,
  stopped: Promise<void>,
): Promise<void> {
  const isStopped = await Promise.race([gateway.settled.then(() => false), stopped.then(() => true)]);
  if (isStopped) return;
  const report = await describeStart(gateway, url, true);
  const enabled = report.status.upstreams.filter(({ state }) => state !== 'disabled');
  const ready = enabled.filter(({ state }) => state === 'ready').length;
  const late = enabled.filter(({ state }) => state === 'starting').length;
  const rest = late === 0 ? '' : `, ${late} may still be installed`;
  printLine(terminal, `All servers have been tried: ${ready} of ${enabled.length} are ready${rest}`);
  await printTotals(gateway, report, terminal, stopped);
}

/** How clients connect. @param tokenFile where the token is that was made for them */
export function printAddress(
  { clients }: Pick<GatewayConfig, 'clients'>,
  { url }: StartReport,
  tokenFile: string | undefined,
  terminal: Terminal,
): void {
  const paint = paintFor(terminal.out);
  const token = tokenFile === undefined ? 'TOKEN' : `$(cat '${oneLine(tokenFile)}')`;
  const isGuarded = clients.length > 0;
  const header = isGuarded ? ` --header "Authorization: Bearer ${token}"` : '';
  const entry = { type: 'http', url, ...(isGuarded ? { headers: { Authorization: 'Bearer TOKEN' } } : {}) };
  printLine(terminal, `${paint.bold('Ready')} at ${paint.cyan(url)}`);
  printLine(terminal, `Connect a client:  claude mcp add --transport http aql ${url}${header}`);
  printLine(terminal, `or in its mcpServers:  ${JSON.stringify({ aql: entry })}`);
}

/** How many tokens a client's context holds without and with the gateway. */
interface ContextTokens {
  readonly upstreams: number;
  readonly gateway: number;
}

/** Lists of more characters fit no context, so their tokens are not counted. */
const LONGEST_COUNTED = 8_000_000;

/** The figures of the command `tokens`, counted while the gateway serves. */
async function countTokens(gateway: Gateway): Promise<ContextTokens | undefined> {
  const { toolsJson } = await gateway.toolList(undefined);
  // Lists that come while these are written are not in the gateway's list.
  const tools = gateway.toolSets().flatMap((set) => set.tools);
  if (measureJson(tools, LONGEST_COUNTED) >= LONGEST_COUNTED) return undefined;
  const counts = await countInProcess([toolsJson, ...tools]);
  const [own, ...others] = counts ?? [];
  return own === undefined ? undefined : { gateway: own, upstreams: others.reduce((sum, count) => sum + count, 0) };
}

function describeTokens({ gateway, upstreams }: ContextTokens): string {
  const less = gateway < upstreams ? ` (${(100 - (gateway / upstreams) * 100).toFixed(1)} % less)` : '';
  return `A client's context holds ${gateway} tokens instead of ${upstreams}${less}.`;
}
