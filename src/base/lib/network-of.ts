import { isIPv6 } from 'node:net';

/** An IPv4 address in IPv6's spelling, as sockets that take both give it. */
const MAPPED = /^::ffff:(\d+(?:\.\d+){3})$/i;
const GROUPS = 8;
/** Of 16 bits each: providers give the rest of the address to one machine or house. RFC 6177 */
const GROUPS_OF_NETWORK = 4;

/**
 * Whose share of a bound an address draws on: an IPv6 address that of its /64, since one machine may use each of its addresses, and
 * any other text itself.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [bare = ''] = address.split('%');
  const [before = '', after = ''] = bare.split('::');
  const [first, last] = [groupsIn(before), groupsIn(after)];
  const zeros = Array.from({ length: Math.max(0, GROUPS - first.length - last.length) }, () => '0');
  const groups = [...first, ...zeros, ...last].slice(0, GROUPS_OF_NETWORK);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** An IPv4 address at the end of an IPv6 one takes two groups, which are behind the network's. */
function groupsIn(text: string): readonly string[] {
  return text.split(':').flatMap((group) => (group === '' ? [] : group.includes('.') ? ['0', '0'] : [group]));
}
