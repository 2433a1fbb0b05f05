import { expect, it } from 'vitest';
import type { GatewayConfig } from '../../../src/config/gateway-config.js';
import { describeUnmatched } from '../../../src/gateway/unmatched-rules.js';
import { anOperation } from '../../support/an-operation.js';

const config = (operation: readonly string[], decision = 'deny'): Pick<GatewayConfig, 'policy' | 'quotas'> =>
  ({
    policy: { rules: [{ name: 'rule 1', match: { operation }, decision, requires: 'token' }] },
    quotas: { limits: [{ name: 'daily', match: { operation }, per: 'all', metric: 'requests_per_day' }] },
  }) as unknown as Pick<GatewayConfig, 'policy' | 'quotas'>;

const operations = [anOperation({ name: 'move_file', qualifiedName: 'files__move_file' })];

it('reports a rule and a limit whose pattern matches no operation, with the nearest name', () => {
  const [rule, limit, ...more] = describeUnmatched(config(['mvoe_file']), operations);
  expect(rule).toContain("The rule 'rule 1': 'mvoe_file' matches no operation");
  expect(rule).toContain('move_file');
  expect(limit).toContain("The quota limit 'daily'");
  expect(more).toEqual([]);
});

it.each(['move_file', 'files__move_file', 'files__*', 'move_*'])('accepts %s', (pattern) => {
  expect(describeUnmatched(config([pattern]), operations)).toEqual([]);
});

it('takes the name of a tool for one that reaches its parts where it restricts, and not where it allows', () => {
  const parts = [anOperation({ name: 'get_item', qualifiedName: 'shop__get_item', partOf: ['manage_item'] })];
  expect(describeUnmatched(config(['manage_item']), parts)).toEqual([]);
  expect(describeUnmatched(config(['manage_item'], 'allow'), parts)).toEqual([
    expect.stringContaining("The rule 'rule 1': 'manage_item' matches no operation"),
  ]);
});
