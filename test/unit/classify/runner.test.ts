import { describe, expect, test } from 'vitest';
import { classifyTool } from '../../../src/classify/classify-tool.js';
import { exampleInput, text } from './tool-example.js';

const classify = (name: string, description: string, parameter: string, annotations = {}) =>
  classifyTool(exampleInput(name, { description, parameters: { [parameter]: text }, annotations }));

describe('a tool that runs arbitrary input', () => {
  test.each([
    ['run_command', 'Run a shell command.', 'command'],
    ['start_process', 'Start a new terminal process.', 'command'],
    ['pods_exec', 'Execute a command in a pod.', 'command'],
    ['cloud_cli', 'Execute commands of the cloud CLI.', 'cli_command'],
    ['browser_evaluate', 'Evaluate an expression on the page.', 'function'],
    ['execute_code', 'Execute arbitrary code.', 'code'],
    ['python', 'Runs a Python program.', 'script'],
    ['execute_sql', 'Executes raw SQL.', 'query'],
    ['query', 'Run a SQL query.', 'sql'],
    ['query_database', 'Execute a query against the database.', 'query'],
    ['query', 'Run an openCypher query.', 'query'],
    ['run_query', 'Executes a MongoDB shell query.', 'query'],
    ['graphql', 'Run a GraphQL query or mutation.', 'query'],
    ['api_request', 'Call any API endpoint.', 'path'],
    ['http_post', 'Perform an HTTP POST request.', 'url'],
  ])('is EXECUTE and destructive in spite of its annotations: %s', (name, description, parameter) => {
    const { category, danger } = classify(name, description, parameter, { readOnlyHint: true, destructiveHint: false });
    expect({ category, level: danger.level }).toEqual({ category: 'EXECUTE', level: 'destructive' });
    expect(danger.reasons[0]).toContain(`'${parameter}'`);
  });
});

describe('a tool that runs no arbitrary input although a word suggests it', () => {
  test.each([
    ['read_query', 'Run a read-only SQL query.', 'query', 'READ'],
    ['explain_query', 'Explain a SQL statement.', 'sql', 'READ'],
    ['validate_code', 'Validate a script without running it.', 'code', 'READ'],
    ['search_code', 'Search for code.', 'query', 'READ'],
    ['create_cron_job', 'Create a job that runs a command.', 'command', 'CREATE'],
    ['update_script', 'Update a stored script.', 'script', 'UPDATE'],
    ['get_country', 'Get a country.', 'country_code', 'READ'],
  ])('keeps its category: %s is %4$s', (name, description, parameter, category) => {
    const result = classify(name, description, parameter);
    expect(result.danger.reasons.join()).not.toContain('runs ');
    expect(result.category).toBe(category);
  });
});

test('a tool with a choice of commands is a grouped tool and runs no arbitrary input', () => {
  const parameters = { command: { type: 'string', enum: ['start', 'stop'] } };
  const { danger } = classifyTool(exampleInput('run_service', { description: 'Run a command.', parameters }));
  expect(danger.level).toBe('reversible');
});
