import { describe, expect, it } from 'vitest';
import { networkOf } from '../../../../src/base/lib/network-of.js';

describe('networkOf', () => {
  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2::', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ])('counts %s with the network of its machine, %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it.each(['192.0.2.1', '', 'unknown', 'a:b'])('leaves %j as it is', (address) => {
    expect(networkOf(address)).toBe(address);
  });

  it('counts an IPv4 address in either spelling as one', () => {
    expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1');
  });
});
