import { BlockList, isIP } from 'node:net';

/** From where an address is reached: from everywhere, from within a network alone, or from the machine and its link. */
export type NetworkReach = 'public' | 'network' | 'machine';

const RANK: Readonly<Record<NetworkReach, number>> = { public: 0, network: 1, machine: 2 };

/** The addresses that are not public (RFC 6890). What is written as IPv4 counts in IPv6's spelling of it too. */
const SUBNETS: Readonly<Record<Exclude<NetworkReach, 'public'>, readonly (readonly [string, number])[]>> = {
  machine: [
    ['0.0.0.0', 8],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['::', 127],
    ['fe80::', 10],
  ],
  network: [
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['224.0.0.0', 3],
    ['64:ff9b::', 96],
    ['2002::', 16],
    ['fc00::', 7],
    ['fec0::', 10],
    ['ff00::', 8],
  ],
};

function blockListOf(subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, isIP(net) === 6 ? 'ipv6' : 'ipv4');
  return list;
}

const MACHINE = blockListOf(SUBNETS.machine);
const NETWORK = blockListOf(SUBNETS.network);

/** @param address an IP address, without brackets; what is none is taken for the nearest that there is */
export function reachOf(address: string): NetworkReach {
  const family = isIP(address);
  if (family === 0) return 'machine';
  const type = family === 6 ? 'ipv6' : 'ipv4';
  if (MACHINE.check(address, type)) return 'machine';
  return NETWORK.check(address, type) ? 'network' : 'public';
}

/** Whether what is reached from `own` can be reached from nearer alone: a server of the internet must not name this machine. */
export function isNearer(reach: NetworkReach, own: NetworkReach): boolean {
  return RANK[reach] > RANK[own];
}

/** The farthest of several. */
export function farthest(reaches: readonly NetworkReach[]): NetworkReach {
  return reaches.toSorted((a, b) => RANK[a] - RANK[b])[0] ?? 'public';
}
