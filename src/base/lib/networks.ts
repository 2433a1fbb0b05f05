import { BlockList, isIP } from 'node:net';

/** An address, or a network as `10.0.0.0/8`; undefined for what is neither. */
export function parseNetwork(text: string): BlockList | undefined {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return undefined;
  const longest = version === 6 ? 128 : 32;
  const length = bits === undefined ? longest : Number(bits);
  if (bits?.trim() === '' || !Number.isInteger(length) || length < 0 || length > longest) return undefined;
  const network = new BlockList();
  network.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4');
  return network;
}

/** Whether a host is an address within the network; a name never is. */
export function isWithin(host: string, network: BlockList): boolean {
  const version = isIP(host);
  return version !== 0 && network.check(host, version === 6 ? 'ipv6' : 'ipv4');
}
