import { expect, it } from 'vitest';
import type { ViewConfig } from '../../../../src/config/gateway-config.js';
import { ViewBindings } from '../../../../src/server/http/view-access.js';
import { createFakeGateway } from '../../../support/fake-gateway.js';

const { endpoint, server } = createFakeGateway().config;
const view = (name: string, more: Partial<ViewConfig> = {}): ViewConfig => ({
  name,
  operations: {},
  endpoint,
  ...more,
});
const views = [view('staff', { groups: ['staff'] }), view('ops', { clients: ['bot'], groups: ['ops'] }), view('open')];
const bindings = new ViewBindings({ views, server });
const statusOf = (name: string | undefined, identity: object): number =>
  bindings.refusalOf(name, identity)?.status ?? 200;

it('lets members of a group enter the views of all of their groups, and nothing else', () => {
  const both = { client: 'corp:app', groups: ['ops', 'staff'] };
  const staff = { groups: ['staff'] };
  expect([statusOf('staff', both), statusOf('ops', both), statusOf('open', both), statusOf(undefined, both)]).toEqual([
    200, 200, 403, 403,
  ]);
  expect([statusOf('staff', staff), statusOf('ops', staff)]).toEqual([200, 403]);
  expect(bindings.refusalOf('ops', staff)?.message).toBe('Forbidden: this client sees /mcp/staff alone.');
});

it('closes views that name someone to callers without an identity', () => {
  expect([statusOf('staff', {}), statusOf('open', {}), statusOf(undefined, {})]).toEqual([404, 200, 200]);
});

it('asks nothing where no view names anyone', () => {
  expect(new ViewBindings({ views: [view('open')], server }).accessTo('open')).toBeUndefined();
});

it('says nothing of closed views where the default view is one', () => {
  const closed = new ViewBindings({ views: [views[0] ?? view('x')], server: { ...server, defaultView: 'staff' } });
  expect(closed.refusalOf('staff', {})?.message).toMatch(/None is open to it/);
  expect(closed.refusalOf('staff', { groups: ['staff'] })).toBeUndefined();
});
