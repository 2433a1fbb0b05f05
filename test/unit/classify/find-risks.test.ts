import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/json.js';
import { riskInWords } from '../../../src/catalog/operation.js';
import { aTool, buildTestOperation } from '../../support/build-test-catalog.js';

const flag = (description = '', more: JsonObject = {}) => ({ type: 'boolean', description, ...more });
const choice = (...values: string[]) => ({ type: 'string', enum: values });
const text = (description = '') => ({ type: 'string', description });
const listOf = (properties: JsonObject) => ({ type: 'array', items: { type: 'object', properties } });

/** The arguments of a tool that raise the danger of a call, in words. */
function risksOf(name: string, properties: JsonObject, description = ''): string {
  const operation = buildTestOperation(aTool(name, { type: 'object', properties }, { description }));
  return (operation.classification.risks ?? []).map((risk) => riskInWords(operation, risk)).join('; ');
}

it.each(['method', 'action', 'operation'])(
  'the parameter that chooses among the operations of a tool is no risk: %s',
  (name) => {
    expect(risksOf('issue_work', { [name]: choice('create', 'get', 'update', 'delete'), id: text() })).toBe('');
  },
);

describe('risks are found', () => {
  it.each<[string, string, JsonObject, string]>([
    [
      'switches that force or remove',
      'git_push',
      { force: flag(), forceWithLease: flag(), delete: flag(), tags: flag() },
      'force=true; force_with_lease=true; delete=true',
    ],
    [
      'options of a command line, and references that are pushed',
      'git_push',
      { flags: { type: 'array', items: { type: 'string' } }, cliArgs: text(), refspec: text(), remote: text() },
      '--force|--delete|--hard|… in flags; --force|--delete|--hard|… in cli_args; +|: in refspec',
    ],
    [
      'switches that skip a protection',
      'deploy_app',
      { skipConfirmation: flag(), noBackup: flag() },
      'skip_confirmation=true; no_backup=true',
    ],
    [
      'switches that are on by default',
      'import_data',
      { overwrite: flag('', { default: true }) },
      'overwrite unless false',
    ],
    ['switches whose description says it', 'sync_folder', { mirror: flag('Discard local changes') }, 'mirror=true'],
    [
      'switches that lose something when off',
      'start_processor',
      { resume: flag('Resume. Set false to start over, which drops accumulated state') },
      'resume=false',
    ],
    ['values of a choice', 'restart_service', { strategy: choice('graceful', 'hard') }, 'strategy=hard'],
    [
      'values inside lists',
      'apply_changes',
      { operations: listOf({ type: choice('add', 'delete'), id: text() }) },
      'operations.type=delete',
    ],
    [
      'members inside lists',
      'update_subscription',
      { id: text(), items: listOf({ deleted: flag() }) },
      'items.deleted=true',
    ],
    [
      'lists of what is removed',
      'manage_roles',
      { add: listOf({ id: text() }), remove: listOf({ id: text() }) },
      'remove',
    ],
    [
      'a form of the answer that a READ would write to a file',
      'render_diagram',
      {
        output_type: {
          ...choice('svg', 'png', 'file'),
          description: "The type of the output. 'svg' gives the markup back. 'file' saves the image to disk.",
        },
      },
      'output_type=file',
    ],
    ['files that a run writes', 'record_video', { outputPath: text(), source: text() }, 'output_path'],
    ['the whole content of an update', 'update_document', { id: text(), content: text() }, 'content'],
    ['a dry run that is on by default', 'migrate_database', { dryRun: flag('', { default: true }) }, 'dry_run=false'],
    [
      'values whose description says it',
      'handle_queue',
      { style: { ...choice('gentle', 'sweep'), description: "'gentle' waits, 'sweep': removes what is left" } },
      'style=sweep',
    ],
    ['steps that discard a sequence', 'bisect_history', { step: choice('continue', 'abort') }, 'step=abort'],
    ['switches that discard a sequence', 'cherrypick', { continue: flag(), abort: flag() }, 'abort=true'],
    [
      'the consent that a destructive call demands',
      'upgrade_cluster',
      { confirmation: text('Name of the cluster, for destructive upgrades') },
      'confirmation',
    ],
    [
      'the last step of what is prepared',
      'update_declaration',
      { finalize: flag('If false, the declaration is kept as a draft') },
      'finalize=true',
    ],
    ['values that are stored nowhere else', 'set_variable', { key: text(), value: text() }, 'value'],
    ['methods that write', 'run_probe', { method: choice('GET', 'POST', 'DELETE'), url: text() }, 'method=POST|DELETE'],
  ])('in %s', (_what, name, properties, found) => expect(risksOf(name, properties)).toBe(found));

  it.each<[string, string, JsonObject, string]>([
    ['removes what it reads', 'check_status', { force_delete: flag(), verbose: flag() }, 'force_delete=true'],
    ['clears what it reads', 'get_console_logs', { clear: flag(), limit: { type: 'integer' } }, 'clear=true'],
    [
      'writes a file',
      'take_snapshot',
      { filename: text('Save the snapshot to a file'), depth: { type: 'integer' } },
      'filename',
    ],
    [
      'writes by a stage of its pipeline',
      'aggregate',
      { collection: text(), pipeline: { type: 'array' } },
      '$out in pipeline, $merge in pipeline',
    ],
    [
      'writes by a stage of a pipeline that is a text',
      'aggregate',
      { collection: text(), pipeline: text() },
      '$out in pipeline, $merge in pipeline',
    ],
    ['acts beside reading', 'get_token', { rotate: flag(), send_now: flag() }, 'rotate=true; send_now=true'],
    ['acts on a condition', 'get_health', { restart_if_unhealthy: flag() }, 'restart_if_unhealthy=true'],
    ['removes some of what it reads', 'list_tasks', { purge_completed: flag() }, 'purge_completed=true'],
    ['exports elsewhere', 'search_logs', { exportTo: text(), saveAs: text() }, 'export_to; save_as'],
    ['sends what it is asked to', 'fetch_page', { url: text(), method: text() }, 'method but GET'],
  ])('in a READ that %s', (_what, name, properties, found) =>
    expect(risksOf(name, properties, 'Get it from the page or collection.')).toBe(found),
  );

  it('in a list of operations whose form only the description names', () => {
    const properties = { id: text(), operations: { type: 'array', items: { type: 'object' } } };
    const found = risksOf('update_workflow', properties, 'Update a workflow. Types: addNode, removeNode.');
    expect(found).toContain('operations.type that removes or ends something');
  });
});

describe('risks are not found', () => {
  it.each<[string, string, JsonObject]>([
    ['switches that show', 'list_items', { includeDeleted: flag(), force_refresh: flag(), remove_duplicates: flag() }],
    [
      'switches that protect',
      'update_item',
      { id: text(), preserve: flag('Keep what would be deleted'), keep_removed: flag() },
    ],
    ['filters of a READ', 'list_events', { type: choice('created', 'deleted'), archived: flag() }],
    ['granted permissions', 'create_token', { permissions: { type: 'array', items: choice('read', 'delete') } }],
    [
      'looks that are named after deeds',
      'set_slide',
      { id: text(), transition_style: choice('FADE', 'DISSOLVE', 'WIPE') },
    ],
    ['values that others describe', 'set_style', { style: { ...choice('a', 'b'), description: 'removes nothing' } }],
    ['values described beside another', 'tag_all', { how: { ...choice('join', 'cut'), description: 'cut, join' } }],
    ['a sequence without its end', 'play_audio', { step: choice('start', 'continue', 'pause') }],
    ['a submit key', 'type_text', { text: text(), submit: flag('Whether to press Enter afterwards') }],
    ['a volume', 'set_volume', { value: { type: 'number' } }],
    ['states that a READ shows', 'get_jobs', { cancelled: flag(), restart_count: flag(), applied: flag() }],
    ['files that are read', 'upload_file', { path: text('Path of the file to upload') }],
  ])('in %s', (_what, name, properties) => expect(risksOf(name, properties)).toBe(''));
});

it('looks through the parameters of a tool as often for many as for few', () => {
  const readsOf = (count: number): number => {
    let reads = 0;
    const properties = Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, choice('a', 'b')]));
    const inputSchema = {
      type: 'object',
      get properties() {
        reads += 1;
        return properties;
      },
    };
    buildTestOperation(aTool('update_item', inputSchema));
    return reads;
  };
  expect(readsOf(200)).toBe(readsOf(20));
});
