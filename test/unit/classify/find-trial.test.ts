import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/json.js';
import type { Operation } from '../../../src/base/protocol/operation.js';
import { operationOfCall, trialVariant } from '../../../src/catalog/operation.js';
import type { UpstreamConfig } from '../../../src/config/gateway-config.js';
import { aTool, buildTestOperation } from '../../support/build-test-catalog.js';

const flag = (description = '') => ({ type: 'boolean', description });
const text = { type: 'string' };

const operationOf = (name: string, properties: JsonObject, settings: Partial<UpstreamConfig> = {}): Operation =>
  buildTestOperation(aTool(name, { type: 'object', properties }), settings);

const levelOf = (operation: Operation, args: JsonObject): string =>
  operationOfCall(operation, args).classification.danger.level;

describe('a dry run', () => {
  it.each(['dryRun', 'dry_run', 'validateOnly', 'preview_only'])(
    'of a destructive call is reversible with %s',
    (name) => {
      const operation = operationOf('remove_items', { id: text, [name]: flag('Only shows what would go') });
      expect(levelOf(operation, { id: 'a' })).toBe('destructive');
      expect(levelOf(operation, { id: 'a', [name]: true })).toBe('reversible');
      expect(operationOfCall(operation, { [name]: true }).classification.category).toBe('DELETE');
      expect(trialVariant(operation)?.classification.danger.level).toBe('reversible');
    },
  );

  it.each([false, 'true', 1, null, 'false', [true], undefined])('is not asked for by %j', (value) => {
    const operation = operationOf('remove_items', { dry_run: flag() });
    expect(levelOf(operation, value === undefined ? {} : { dry_run: value as JsonObject[string] })).toBe('destructive');
  });

  it('does none of what it shows, but may write the file that it names', () => {
    const content = operationOf('update_page', { id: text, content: text, dry_run: flag() });
    expect(levelOf(content, { content: 'x' })).toBe('destructive');
    expect(levelOf(content, { content: 'x', dry_run: true })).toBe('reversible');
    const file = operationOf('start_migration', { output_path: text, prune: flag(), dry_run: flag() });
    expect(levelOf(file, { prune: true, dry_run: true })).toBe('reversible');
    expect(levelOf(file, { output_path: 'a', dry_run: true })).toBe('destructive');
  });

  it.each(['untested', 'generated'] as const)('of a server that is only %s is not believed', (trust) => {
    const operation = operationOf('remove_items', { dry_run: flag() }, { trust });
    expect(levelOf(operation, { dry_run: true })).toBe('destructive');
  });

  it.each<[string, Operation]>([
    ['arbitrary input', operationOf('run_script', { script: text, dry_run: flag() })],
    ['a dangerous name', operationOf('purge_items', { dry_run: flag() })],
    ['a forbidden name', operationOf('drop_table', { dry_run: flag() })],
    ['what is not understood', operationOf('frobnicate', { dry_run: flag() })],
    ['a switch for some calls only', operationOf('remove_items', { dry_run: flag('Only for soft deletion') })],
    ['a switch that does nothing yet', operationOf('remove_items', { dry_run: flag('Not supported yet') })],
    ['a text', operationOf('remove_items', { dry_run: text })],
  ])('does not lower the danger of %s', (_what, operation) =>
    expect(levelOf(operation, { dry_run: true })).toBe(operation.classification.danger.level),
  );

  it('does not lower the danger that an operator declared, nor that of a risk they declared', () => {
    const risk = { parameter: 'hard', when: { is: [true] }, danger: 'destructive', reason: 'declared' } as const;
    const pattern = 'remove_items';
    const declared = operationOf(pattern, { dry_run: flag() }, { curation: [{ pattern, danger: 'destructive' }] });
    expect(levelOf(declared, { dry_run: true })).toBe('destructive');
    const risky = operationOf(pattern, { hard: flag(), dry_run: flag() }, { curation: [{ pattern, risks: [risk] }] });
    expect(levelOf(risky, { hard: true, dry_run: true })).toBe('destructive');
  });
});
