import { describe, expect, it } from 'vitest';
import { createModernCallers } from '../../../../src/server/http/modern-callers.js';
import { createFakeGateway } from '../../../support/fake-gateway.js';

function openCallers() {
  const { server } = createFakeGateway({ server: { maxSessions: 6, maxSessionsPerClient: 3 } }).config;
  const callers = createModernCallers(server, { opened: () => {}, ended: () => {} }, { isShared: false });
  const find = (clientName: string, address: string) => {
    const found = callers.find({ address, clientName, client: undefined });
    return typeof found === 'string' ? found : found.caller.sessionId;
  };
  return { find };
}

describe('modern callers', () => {
  it('serve a new client of an address from which another sends a new name with each request, and keep those that came back', () => {
    const { find } = openCallers();
    const known = find('known', '192.0.2.1');
    expect(find('known', '192.0.2.1')).toBe(known);
    for (let n = 0; n < 10; n += 1) expect(find(`name ${n}`, '192.0.2.1')).toMatch(/-/);
    const late = find('late', '192.0.2.1');
    expect([find('late', '192.0.2.1'), find('known', '192.0.2.1')]).toEqual([late, known]);
  });

  it('keep a place for another network, however many addresses of its own network a client uses', () => {
    const { find } = openCallers();
    for (let n = 0; n < 10; n += 1) for (const _twice of [1, 2]) find(`name ${n}`, `2001:db8::${n}`);
    expect(find('first', '2001:db8::ffff')).toBe('owner');
    expect(find('second', '2001:db8:0:1::1')).toMatch(/-/);
  });
});
