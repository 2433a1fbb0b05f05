import { describe, expect, test } from 'vitest';
import { DANGER_RULES, NAME_PATTERNS } from '../../../src/classify/assess-danger.js';
import { classifyTool } from '../../../src/classify/classify-tool.js';
import { choice, exampleInput, type ToolExample, text } from './tool-example.js';

const dangerOf = (name: string, example?: ToolExample) => classifyTool(exampleInput(name, example)).danger;

describe("the specification's name patterns", () => {
  test.each([
    ['drop_table', 'forbidden'],
    ['delete_all_orders', 'forbidden'],
    ['truncate_log', 'forbidden'],
    ['reset_counter', 'forbidden'],
    ['destroy_cluster', 'forbidden'],
    ['wipe_disk', 'forbidden'],
    ['deploy_to_production', 'forbidden'],
    ['force_push', 'dangerous'],
    ['delete_permanently', 'dangerous'],
    ['bulk_delete_orders', 'dangerous'],
    ['override_limit', 'dangerous'],
    ['bypass_review', 'dangerous'],
    ['migrate_without_backup', 'dangerous'],
    ['purge_queue', 'dangerous'],
  ])('%s is %s', (name, level) => {
    expect(dangerOf(name).level).toBe(level);
  });

  test('are all covered by the examples above', () => {
    expect(NAME_PATTERNS).toHaveLength(14);
  });

  test('give the highest level that matches', () => {
    expect(dangerOf('force_deploy_to_production').level).toBe('forbidden');
  });
});

describe('the default danger of a category', () => {
  test.each([
    ['get_order', 'safe'],
    ['create_order_draft', 'reversible'],
    ['update_order', 'reversible'],
    ['start_job', 'reversible'],
    ['delete_order', 'destructive'],
  ])('%s is %s', (name, level) => {
    expect(dangerOf(name).level).toBe(level);
  });
});

describe('an upsert', () => {
  test.each([
    ['create_or_update_file', 'Create or update a file'],
    ['upsert_records', 'Insert or update records'],
    ['put_object', 'Puts an object'],
  ])('such as %s is destructive', (name, description) => {
    expect(dangerOf(name, { description }).level).toBe('destructive');
  });

  test('is reversible where a switch decides whether it replaces', () => {
    const parameters = { path: text, createOnly: { type: 'boolean' } };
    expect(dangerOf('create_or_update_file', { description: 'Create or update a file', parameters }).level).toBe(
      'reversible',
    );
  });
});

/** One value of a grouped tool, whose parameter says what the value does. */
const SWEEP: ToolExample = {
  parameters: { action: { ...choice('list', 'update'), description: 'list: shows them; update: drops what is older' } },
  groupValue: { parameter: 'action', value: 'update' },
};

describe('every danger rule', () => {
  const raised: Readonly<Record<string, readonly [name: string, level: string, example?: ToolExample]>> = {
    'name-pattern': ['purge_queue', 'dangerous'],
    'name-end': ['smash_rejects', 'destructive', { description: 'Updates a hull' }],
    'led-deed': ['confirm_delete', 'destructive'],
    runner: ['run_command', 'destructive', { parameters: { command: text } }],
    'later-removal': ['compact_story', 'destructive', { description: 'Compacts a story. Removes its full text' }],
    'plain-effect': ['replace_page', 'destructive'],
    'group-values': ['page', 'destructive', { parameters: { action: choice('append', 'overwrite') } }],
    'group-value': ['queue', 'destructive', SWEEP],
    'bulk-removal': ['batch_remove_orders', 'dangerous'],
    'not-understood': ['frobnicate', 'destructive'],
    'existing-file': ['create_file', 'destructive', { parameters: { path: text, content: text } }],
    'bulk-update': ['update_records', 'destructive', { parameters: { conditions: text, data: text } }],
    money: ['create_refund', 'destructive'],
    'announced-loss': ['restore_order', 'destructive', { description: 'Restores. This cannot be undone.' }],
    'annotation-destructive': ['update_order', 'destructive', { annotations: { destructiveHint: true } }],
  };

  test('has an example here', () => {
    expect(Object.keys(raised)).toEqual(DANGER_RULES.map(({ id }) => id));
  });

  test.each(Object.entries(raised))('raises the danger of its example: %s', (_id, [name, level, example]) => {
    const danger = dangerOf(name, example);
    expect(danger.level).toBe(level);
    expect(danger.reasons.length).toBeGreaterThan(0);
  });
});

describe('a verb of procedure', () => {
  test.each<[name: string, example?: ToolExample]>([
    ['schedule_shutdown'],
    ['request_account_deletion'],
    ['queue_purge'],
    ['triggerWipe'],
    ['try_remove'],
    ['retry_delete'],
    ['start_factory_reset'],
    ['enqueue-user-removal'],
    ['approve_delete'],
    ['begin_teardown'],
    ['initiate_eviction', { description: 'Sends the order.' }],
    ['ask', { description: 'Requests the permanent deletion of an account' }],
    ['confirm', { description: 'Confirms a wipe' }],
    // No text proves that nothing is done.
    ['preview_delete', { description: 'Shows what would be deleted' }],
    ['dry_run_delete'],
  ])('is as dangerous as the loss that it leads to: %s', (name, example) => {
    expect(dangerOf(name, example).level).toMatch(/destructive|dangerous/);
  });

  test.each([
    ['request_review', 'Requests a review of a deletion'],
    ['send_notice', 'Sends a notice about the removal of a berth'],
    ['restore_deletion', 'Restores what was deleted'],
    ['push_stash', 'Saves the stash (list, push, apply, drop, or clear)'],
  ])('is itself where it leads to none: %s', (name, description) => {
    expect(dangerOf(name, { description }).level).toMatch(/safe|reversible/);
  });
});

describe('a write that destroys in normal use', () => {
  test.each([
    ['write_file', { description: 'Completely overwrite a file with new content.' }],
    ['put_collection', { description: 'Replaces the contents of a collection.' }],
    ['set_links', { description: 'Replace all links of a story.' }],
    ['rotate_key', {}],
    ['cancel_order', { description: 'Cancel the order.' }],
    ['purchase_domain', {}],
    ['terminate_instances', {}],
    ['restore_backup', {}],
    ['remove_all_tags', {}],
  ] as const)('%s is at least destructive', (name, example) => {
    expect(['destructive', 'dangerous', 'forbidden']).toContain(dangerOf(name, example).level);
  });

  test('is not assumed where the description denies the loss', () => {
    expect(dangerOf('update_file', { description: 'Updates a file without overwriting its history.' }).level).toBe(
      'reversible',
    );
  });

  test('is distinguished from a read that can write a file, which is reversible', () => {
    const danger = dangerOf('get_snapshot', { description: 'Get a snapshot', parameters: { filename: text } });
    expect(danger).toEqual({ level: 'reversible', reasons: ["parameter 'filename' can write a file"] });
  });
});
