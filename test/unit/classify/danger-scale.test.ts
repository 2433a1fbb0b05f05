import { describe, expect, test } from 'vitest';
import type { Risk } from '../../../src/base/protocol/operation.js';
import { classifyTool } from '../../../src/classify/classify-tool.js';
import { exampleInput, flag, type ToolExample, text } from './tool-example.js';

const classify = (name: string, example: ToolExample = {}) => classifyTool(exampleInput(name, example));
const list = { type: 'array', items: { type: 'string' } };

describe('one scale of danger', () => {
  test.each([
    ['create_record', 'Creates a record', 'reversible'],
    ['append_to_file', 'Appends a line to a file', 'reversible'],
    ['add_comment', 'Adds a comment', 'reversible'],
    ['send_message', 'Sends a message to a channel', 'reversible'],
    ['reply_to_ticket', 'Replies to a ticket', 'reversible'],
    ['publish_page', 'Publishes a page', 'reversible'],
    ['git_push', 'Pushes commits to a remote', 'reversible'],
    ['browser_hover', 'Hovers over an element of the page', 'reversible'],
    ['browser_resize', 'Resizes the window of the browser', 'reversible'],
    ['browser_file_upload', 'Uploads files in the browser', 'reversible'],
    ['discover_tools', 'Discovers and activates more tools', 'reversible'],
    ['set_location', 'Overrides the location of a device, or clears the override', 'reversible'],
    ['update_comment', 'Updates a comment', 'reversible'],
    ['get_prompts', 'Gets prompts', 'safe'],
    ['drop_stash', 'Drops a stash', 'forbidden'],
    ['clear_cache', 'Clears the cache', 'destructive'],
    ['restore_backup', 'Restores a backup of the database', 'destructive'],
    ['write_file', 'Writes a file', 'destructive'],
    ['replace_text', 'Replaces a text', 'destructive'],
    ['git_reset', 'Resets the branch', 'destructive'],
  ] as const)('%s (%s) is %s', (name, description, level) => {
    const parameters = { id: text, content: text };
    expect(classify(name, { description, parameters }).danger.level).toBe(level);
  });

  test('what adds or sends is rated the same where its author calls it destructive', () => {
    const annotations = { readOnlyHint: false, destructiveHint: true };
    for (const name of ['create_page', 'add_tag', 'send_mail', 'click_button']) {
      expect(classify(name, { parameters: { id: text }, annotations }).danger.level).toBe('reversible');
    }
    expect(classify('set_page', { parameters: { id: text }, annotations }).danger.level).toBe('destructive');
  });

  test('what a commit to a branch replaces stays in the history', () => {
    const description = 'Create or update a file';
    const committed = { path: text, content: text, branch: text, message: text };
    expect(classify('create_or_update_file', { description, parameters: committed }).danger.level).toBe('reversible');
    const stored = { path: text, content: text };
    expect(classify('create_or_update_file', { description, parameters: stored }).danger.level).toBe('destructive');
  });

  test('an amount that goes to somebody is destructive', () => {
    const parameters = { from_account: text, to_account: text, amount: { type: 'number' } };
    expect(classify('start_transfer', { parameters }).danger.level).toBe('destructive');
    expect(classify('get_transfer_fee', { description: 'Gets the fee', parameters }).danger.level).toBe('safe');
    expect(classify('create_entry', { parameters }).danger.level).toBe('reversible');
  });

  test.each([
    ['Creates a draft. Supplying a body replaces the whole draft body.', 'reversible'],
    ['Creates a draft. It may be irreversible.', 'reversible'],
    ['Creates a rule for data loss prevention.', 'reversible'],
    ['Creates a draft and overwrites the existing one.', 'destructive'],
  ] as const)('a loss counts where every call has it: %s', (description, level) => {
    expect(classify('create_draft', { description, parameters: { id: text } }).danger.level).toBe(level);
  });
});

describe('the danger of a call', () => {
  const risksOf = (name: string, example: ToolExample): readonly Risk[] => classify(name, example).risks ?? [];
  const raising = (name: string, example: ToolExample) => risksOf(name, example).map(({ path }) => path.join('.'));

  test('a checkout that restores files discards their changes, one of a branch does not', () => {
    expect(raising('git_checkout', { parameters: { target: text, paths: list, track: flag } })).toEqual(['paths']);
  });

  test('the content of a remark is edited as a whole, that of a document is replaced', () => {
    expect(raising('update_comment', { parameters: { id: text, content: text } })).toEqual([]);
    expect(raising('update_page', { parameters: { id: text, content: text } })).toEqual(['content']);
  });

  test("a server's consent to what only adds is no danger", () => {
    expect(raising('send_message', { parameters: { body: text, confirm: flag } })).toEqual([]);
    expect(raising('apply_plan', { parameters: { plan: text, confirm: flag } })).toEqual(['confirm']);
  });

  test('to accept a dialog agrees to whatever it asks', () => {
    expect(raising('handle_dialog', { parameters: { accept: flag } })).toEqual(['accept']);
    expect(raising('answer_invitation', { parameters: { accept: flag } })).toEqual([]);
  });

  test('a required folder is where a change works, and an archive what it reads', () => {
    const folder = { type: 'string', description: 'The folder of the project' };
    expect(raising('deploy_site', { parameters: { output_dir: folder, archive_path: text } })).toEqual([]);
    const saved = { type: 'string', description: 'Folder in which the files are saved' };
    expect(raising('generate_site', { parameters: { output_dir: saved } })).toEqual(['output_dir']);
  });

  test('brackets explain what is said before them', () => {
    const resume = { type: 'boolean', description: 'Resume. Set false to start anew (drops the state).' };
    expect(risksOf('start_processor', { parameters: { resume } })).toMatchObject([{ when: { is: [false] } }]);
  });
});
