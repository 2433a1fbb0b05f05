import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether a host name means this machine. */
export function isOwnMachine(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  const family = isIP(name);
  // RFC 6761, section 6.3: every name under localhost is the loopback.
  if (family === 0) return /(?:^|\.)localhost\.?$/.test(name);
  return LOOPBACK.check(name, family === 6 ? 'ipv6' : 'ipv4');
}
