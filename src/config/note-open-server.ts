import { BlockList, isIP } from 'node:net';
import type { Notes } from './config-report.js';
import type { ClientConfig } from './policy-config.js';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Warns of a gateway that others can reach and that asks nobody who they are. */
export function noteOpenServer(host: string, clients: readonly ClientConfig[], notes: Notes): void {
  if (clients.length > 0 || isLoopback(host)) return;
  notes.warning(
    ['server', 'host'],
    "anybody who can reach the port can call, as there are no clients; set 'clients' or MCP_AQL_CLIENT_TOKEN",
  );
}

function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  const family = isIP(name);
  // RFC 6761, section 6.3: every name under localhost is the loopback.
  if (family === 0) return /(?:^|\.)localhost\.?$/.test(name);
  return LOOPBACK.check(name, family === 6 ? 'ipv6' : 'ipv4');
}
