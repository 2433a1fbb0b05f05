import type { Gateway, GatewayStatus } from '../gateway.js';
import { paintFor, printLine, type Terminal } from './terminal.js';

/**
 * Characters of tool-list JSON that make one o200k_base token: 4.2 to 4.5 in real catalogues, as `tokens` counts. The start
 * report gives rounded figures; the exact ones cost a tokenizer of tens of megabytes and come from `tokens`.
 */
const CHARACTERS_PER_TOKEN = 4.3;

/** What `serve` says once it is ready; the shape of `serve --json`. */
export interface StartReport {
  readonly url: string;
  readonly mode: string;
  readonly profile: string;
  readonly status: GatewayStatus;
  /** About how many tokens a client's context holds without and with the gateway. */
  readonly tokens: { readonly upstreams: number; readonly gateway: number };
}

export function describeStart(gateway: Gateway, url: string): StartReport {
  const { mode, profile } = gateway.config.endpoint;
  const listed = gateway.toolSets().flatMap(({ tools }) => tools);
  return {
    url,
    mode,
    profile: profile.name,
    status: gateway.status(),
    tokens: {
      upstreams: estimateTokens(listed.length === 0 ? '' : JSON.stringify(listed)),
      gateway: estimateTokens(gateway.toolList().toolsJson),
    },
  };
}

function estimateTokens(json: string): number {
  const tokens = json.length / CHARACTERS_PER_TOKEN;
  return tokens < 1_000 ? Math.round(tokens / 10) * 10 : Math.round(tokens / 100) * 100;
}

export function printStartReport(report: StartReport, terminal: Terminal): void {
  const paint = paintFor(terminal.out);
  const { status, tokens } = report;
  for (const upstream of status.upstreams) {
    const good = upstream.state === 'ready';
    const mark = good ? paint.green('ready') : paint.yellow(upstream.state);
    const about = good ? `${upstream.tools} tools, ${upstream.transport}` : (upstream.problem ?? '');
    printLine(terminal, `  ${upstream.name}: ${mark}${about === '' ? '' : ` (${about})`}`);
  }
  const families = status.families.map(({ name, operations }) => `${name} ${operations}`).join(', ');
  printLine(terminal, `${status.operations} operations in mode ${report.mode}, profile ${report.profile}: ${families}`);
  const share = tokens.upstreams === 0 ? 0 : 100 - (tokens.gateway / tokens.upstreams) * 100;
  printLine(
    terminal,
    `A client's context holds about ${tokens.gateway} tokens instead of about ${tokens.upstreams}` +
      `${share > 0 ? ` (${share.toFixed(0)} % less)` : ''}.`,
  );
  printLine(terminal, `${paint.bold('Ready')} at ${paint.cyan(report.url)}`);
  printLine(terminal, `Connect a client:  claude mcp add --transport http aql ${report.url}`);
  printLine(terminal, `or in its mcpServers:  {"aql": {"type": "http", "url": "${report.url}"}}`);
}
