import { describe, expect, test } from 'vitest';
import { gatherFacts } from '../../../src/classify/facts.js';
import { RULES } from '../../../src/classify/rules.js';
import { type Effect, leadingCategory } from '../../../src/classify/words/lexicon.js';
import { exampleInput, flag, type ToolExample, text } from './tool-example.js';

interface RuleExample {
  readonly id: string;
  /** A tool in which the rule finds `effect`, and a close one in which it finds nothing. */
  readonly finds: readonly [name: string, example?: ToolExample];
  readonly effect: Effect;
  readonly ignores: readonly [name: string, example?: ToolExample];
}

const EXAMPLES: readonly RuleExample[] = [
  { id: 'name-lead', finds: ['orders_delete'], effect: 'delete', ignores: ['orders_deleted'] },
  { id: 'name-joined', finds: ['get_or_create_tag'], effect: 'create', ignores: ['get_creator_tag'] },
  { id: 'name-likely', finds: ['git_merge'], effect: 'update', ignores: ['merge_request_approve'] },
  { id: 'name-possible', finds: ['shop_label'], effect: 'create', ignores: ['shop_labels'] },
  { id: 'name-next', finds: ['get_delete_token'], effect: 'delete', ignores: ['get_deletion_token'] },
  { id: 'name-noun', finds: ['directory_tree'], effect: 'read', ignores: ['directory_forest'] },
  { id: 'name-deed', finds: ['segment_vaccinate'], effect: 'act', ignores: ['vaccination_segment'] },
  {
    id: 'title-lead',
    finds: ['x', { title: 'Delete order' }],
    effect: 'delete',
    ignores: ['x', { title: 'An order' }],
  },
  {
    id: 'description-head',
    finds: ['x', { description: 'Permanently deletes an order.' }],
    effect: 'delete',
    ignores: ['x', { description: 'The deleted orders of a shop.' }],
  },
  {
    id: 'description-information',
    finds: ['x', { description: 'Current weather in a city' }],
    effect: 'read',
    ignores: ['x', { description: 'Frobs weather in a city' }],
  },
  {
    id: 'description-deed',
    finds: ['x', { description: 'Lends an object to a museum' }],
    effect: 'act',
    ignores: ['x', { description: 'Glorks an object of a museum' }],
  },
  {
    id: 'description-joined',
    finds: ['x', { description: 'Gets an order and optionally emails the customer, then deletes it.' }],
    effect: 'delete',
    ignores: ['x', { description: 'Gets an order that another tool creates and deletes.' }],
  },
  {
    id: 'description-result',
    finds: ['x', { description: 'Returns the created bill.' }],
    effect: 'write',
    ignores: ['get_bill', { description: 'Returns the created bill.' }],
  },
  {
    id: 'description-handed-on',
    finds: ['x', { description: 'Exports the board to a shareable address.' }],
    effect: 'publish',
    ignores: ['x', { description: 'Downloads an uploaded picture.' }],
  },
  {
    id: 'parameter-dry-run',
    finds: ['x', { parameters: { dryRun: flag } }],
    effect: 'write',
    ignores: ['validate_order', { parameters: { dryRun: flag } }],
  },
  {
    id: 'parameter-destructive-flag',
    finds: ['x', { parameters: { overwrite_existing: flag } }],
    effect: 'write',
    ignores: ['x', { parameters: { overwrite_existing: text } }],
  },
  {
    id: 'parameter-mutating-flag',
    finds: ['lint_files', { parameters: { fix: flag } }],
    effect: 'write',
    ignores: ['lint_files', { parameters: { fixtures: flag } }],
  },
  {
    id: 'parameter-download-path',
    finds: ['download_invoice', { parameters: { savePath: text } }],
    effect: 'create',
    ignores: ['read_invoice', { parameters: { savePath: text } }],
  },
  {
    id: 'parameter-output-path',
    finds: ['image_converter', { parameters: { outputDir: text }, required: ['outputDir'] }],
    effect: 'create',
    ignores: ['image_converter', { parameters: { outputDir: text } }],
  },
  {
    id: 'annotation-read-only',
    finds: ['x', { annotations: { readOnlyHint: true } }],
    effect: 'read',
    ignores: ['x', { annotations: { readOnlyHint: true }, trust: 'untested' }],
  },
  {
    id: 'annotation-writes',
    finds: ['x', { annotations: { readOnlyHint: false }, trust: 'untested' }],
    effect: 'write',
    ignores: ['x', { annotations: {} }],
  },
  {
    id: 'annotation-destructive',
    finds: ['x', { annotations: { destructiveHint: true }, trust: 'untested' }],
    effect: 'write',
    ignores: ['x', { annotations: { destructiveHint: true, readOnlyHint: true } }],
  },
];

describe('every rule of the table', () => {
  const rules = new Map(RULES.map((rule) => [rule.id, rule]));
  const findWith = (id: string, [name, example]: readonly [string, ToolExample?]) =>
    rules.get(id)?.find(gatherFacts(exampleInput(name, example))) ?? [];

  test('has an example here, a weight, a meaning and a unique id', () => {
    expect(EXAMPLES.map(({ id }) => id)).toEqual(RULES.map(({ id }) => id));
    expect(rules.size).toBe(RULES.length);
    for (const { weight, meaning } of RULES) {
      expect(weight).toBeGreaterThan(0);
      expect(meaning).not.toBe('');
    }
  });

  test.each(EXAMPLES)('matches its example and words the evidence: $id', ({ id, finds, effect }) => {
    const found = findWith(id, finds);
    expect(found.map((finding) => finding.effect)).toContain(effect);
    for (const { says } of found) expect(says.length).toBeGreaterThan(5);
  });

  test.each(EXAMPLES)('does not match a similar tool: $id', ({ id, ignores }) => {
    expect(findWith(id, ignores)).toEqual([]);
  });
});

test('an effect with votes for two categories takes the stronger one, and the more dangerous in a tie', () => {
  expect(leadingCategory('add')).toBe('CREATE');
  expect(leadingCategory('write')).toBe('EXECUTE');
  expect(leadingCategory('detach')).toBe('UPDATE');
});
