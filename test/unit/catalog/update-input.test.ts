import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/base/json/json.js';
import { readParameters } from '../../../src/catalog/create-operation.js';
import { splitUpdateInput } from '../../../src/catalog/update-input.js';

/** `id* title:object` as parameters: a star for required, a type where it is not a string. */
function parametersOf(sketch: string) {
  const members = sketch
    .split(' ')
    .filter(Boolean)
    .map((part) => /^(\w+)(\*?)(?::(\w+))?$/.exec(part) ?? []);
  const properties = Object.fromEntries(members.map(([, name, , type = 'string']) => [name, schemaOf(type)]));
  const required = members.filter(([, , star]) => star === '*').map(([, name]) => name);
  return readParameters({ type: 'object', properties, required }).parameters;
}

const schemaOf = (type: string): JsonSchema =>
  type === 'choice'
    ? { enum: ['a', 'b'] }
    : type === 'objects'
      ? { type: 'array', items: { type: 'object' } }
      : { type };

const split = (operation: string, sketch: string, declared?: readonly string[]) => {
  const parameters = splitUpdateInput(operation, parametersOf(sketch), declared);
  const inPlace = (place: string) =>
    parameters
      .filter((parameter) => parameter.place === place)
      .map(({ name }) => name)
      .join(' ');
  return `${inPlace('params')} | ${inPlace('input')}`;
};

describe('splitUpdateInput', () => {
  it.each([
    // What finds the rows, where no id does.
    ['update_records', 'table* conditions:object data*:object', 'table conditions | data'],
    [
      'update_many',
      'database* collection* filter:object update*:object upsert:boolean',
      'database collection filter upsert | update',
    ],
    ['update_rule', 'rule_id* conditions:object name', 'rule_id | conditions name'],
    // Switches of the call.
    ['edit_file', 'path* edits*:objects dry_run:boolean', 'path dry_run | edits'],
    [
      'update_page',
      'page_id* body commit_message notify:boolean create_if_missing:boolean private:boolean',
      'page_id commit_message notify create_if_missing | body private',
    ],
    [
      'git_set_working_dir',
      'path* validate_git_repo:boolean initialize_if_not_present:boolean include_metadata:boolean',
      'validate_git_repo initialize_if_not_present include_metadata | path',
    ],
    ['set_workspace', 'path* depth:integer label', ' | path depth label'],
    ['switch_project', 'projectId* reason', ' | project_id reason'],
    ['set_workspace', 'path depth:integer', ' | path depth'],
    ['set_file_tags', 'path* tags:array', 'path | tags'],
    ['set_project_owner', 'projectId* owner*', 'project_id | owner'],
    ['set_options', 'force:boolean notify:boolean', ' | force notify'],
    [
      'update_issue',
      'owner* repo* issueNumber*:integer title body labels:array milestone:integer',
      'owner repo issue_number | title body labels milestone',
    ],
    [
      'update_issue',
      'organizationSlug issueId issueUrl status assignedTo',
      'issue_id | organization_slug issue_url status assigned_to',
    ],
    [
      'update_issue',
      'project_id* issue_iid* milestone_id assignee_ids:array',
      'project_id issue_iid | milestone_id assignee_ids',
    ],
    ['update_label', 'id* name color', 'id | name color'],
    ['update_wiki_page', 'id* name* content', 'id | name content'],
    ['write_file', 'path* content*', 'path | content'],
    ['move_file', 'source* destination*', 'source | destination'],
    ['rename_app', 'app* newName*', 'app | new_name'],
    ['set_text', 'nodeId* text*', 'node_id | text'],
    ['env_var_set', 'scriptName* key* value*', 'script_name key | value'],
    ['set_config_value', 'key* value*', 'key | value'],
    ['worker_put', 'name* script*', 'name | script'],
    [
      'modify_email',
      'messageId* addLabelIds:array removeLabelIds:array',
      'message_id | add_label_ids remove_label_ids',
    ],
    ['batch_modify_emails', 'messageIds*:array addLabelIds:array', 'message_ids | add_label_ids'],
    ['git_reset', 'path mode target', 'path | mode target'],
    ['update_project', 'project_id* path name', 'project_id | path name'],
    ['move_page', 'page_id* parent*:object', 'page_id | parent'],
    ['approve_build', 'build_id* action*:choice', 'build_id | action'],
    ['update_thing', 'input*:object', ' | input'],
    ['update_thing', 'thing_id* input*', 'thing_id | input'],
  ])('splits %s (%s) into %s', (operation, sketch, expected) => {
    expect(split(operation, sketch)).toBe(expected);
  });

  it('always leaves an input, the weakest identifier where all parameters are identifiers', () => {
    expect(split('publish_mock', 'mockId*')).toBe(' | mock_id');
    expect(split('promote_milestone', 'project_id* milestone_id*')).toBe('milestone_id | project_id');
    expect(split('do_thing', '')).toBe(' | ');
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom('id*', 'name*', 'owner*', 'path', 'thing_id', 'title', 'key*'), {
          minLength: 1,
        }),
        (parts) => {
          const places = splitUpdateInput('update_thing', parametersOf(parts.join(' '))).map(({ place }) => place);
          expect(places).toContain('input');
        },
      ),
    );
  });

  it("uses the operator's identifiers, in either spelling, instead of its own evidence", () => {
    expect(split('update_issue', 'issueId* title* teamName', ['title', 'teamName'])).toBe('title team_name | issue_id');
    expect(split('update_issue', 'a* b*', ['b', 'a'])).toBe('b | a');
    expect(split('update_issue', 'id* title', [])).toBe(' | id title');
  });
});
