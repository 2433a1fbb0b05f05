import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { Subscriptions } from '../../../../src/server/http/subscriptions.js';

const response = (): ServerResponse => new EventEmitter() as unknown as ServerResponse;

it('refuses the seventeenth subscription of one client in words, and takes one again when another has closed', () => {
  const subscriptions = new Subscriptions(100);
  const first = response();
  expect(subscriptions.open('ann', first)).toBeUndefined();
  for (let count = 1; count < 16; count += 1) expect(subscriptions.open('ann', response())).toBeUndefined();
  expect(subscriptions.open('ann', response())).toContain('16 open subscriptions');
  expect(subscriptions.open('bob', response())).toBeUndefined();
  first.emit('close');
  expect(subscriptions.open('ann', response())).toBeUndefined();
});

it('names the setting where all subscriptions are in use', () => {
  const subscriptions = new Subscriptions(1);
  subscriptions.open('ann', response());
  expect(subscriptions.open('bob', response())).toContain('server.maxSessions');
});
