import { describe, expect, it } from 'vitest';
import { SQL_DIALECTS, type Statement } from '../../../src/base/protocol/operation.js';
import { classifyTool } from '../../../src/classify/classify-tool.js';
import { choice, exampleInput, type ToolExample, text } from './tool-example.js';

function statementOf(name: string, example: ToolExample): Statement | undefined {
  return classifyTool(exampleInput(name, example)).statement;
}

const SQL = { description: 'Execute a SQL query.', parameters: { sql: text } } as const;

describe('findStatement', () => {
  it.each<[string, ToolExample, Partial<Statement>]>([
    ['query', { ...SQL, description: 'Execute a raw SQL query on the SQLite database' }, { dialects: ['sqlite'] }],
    ['execute_sql', { ...SQL, slug: 'postgres' }, { dialects: ['postgresql'] }],
    [
      'run_query',
      { ...SQL, description: 'Run a SQL query against MySQL or MariaDB' },
      { dialects: ['mysql', 'mariadb'] },
    ],
    ['mysql_query', SQL, { dialects: ['mysql'] }],
    ['execute_sql', SQL, { dialects: SQL_DIALECTS }],
    [
      'graphql_query',
      { description: 'Execute a GraphQL query', parameters: { query: text, variables: text } },
      { language: 'graphql', companions: ['variables'] },
    ],
    [
      'query',
      { ...SQL, parameters: { sql: text, params: text, maxRows: text, save_as: text } },
      { companions: ['params', 'maxRows'] },
    ],
  ])('finds what %s runs', (name, example, expected) => expect(statementOf(name, example)).toMatchObject(expected));

  it.each<[string, string, ToolExample]>([
    ['a product that is not known', 'execute_sql', { ...SQL, description: 'Execute a SQL query on SQL Server' }],
    ['one of several products', 'execute_sql', { ...SQL, description: 'Execute a SQL query on MySQL or Snowflake' }],
    ['a name that says more', 'export_query', { ...SQL, description: 'Runs a SQL query' }],
    ['a name that writes', 'write_query', { ...SQL, description: 'Runs a SQL query' }],
    ['a schedule', 'schedule_sql', { ...SQL, description: 'Executes a SQL query every day' }],
    ['fixed texts', 'execute_sql', { ...SQL, parameters: { sql: choice('SELECT 1') } }],
    ['two texts', 'execute_sql', { ...SQL, parameters: { sql: text, statement: text } }],
    ['commands', 'execute_command', { description: 'Runs a shell command', parameters: { command: text } }],
    ['Cypher or SQL', 'run_query', { description: 'Executes a Cypher or SQL query', parameters: { query: text } }],
    ['Cypher', 'run_cypher', { description: 'Executes a Cypher query on Neo4j', parameters: { query: text } }],
    ['Gremlin', 'run_query', { description: 'Executes a Gremlin query', parameters: { query: text } }],
    [
      'stages of MongoDB',
      'run_aggregation',
      { slug: 'mongodb', description: 'Runs an aggregation', parameters: { pipeline: text } },
    ],
    ['a search', 'query', { description: 'Search the docs', parameters: { query: text } }],
    ['a server that is not trusted', 'execute_sql', { ...SQL, trust: 'untested' }],
    ['what the operator declares', 'execute_sql', { ...SQL, curation: { danger: 'destructive' } }],
    ['what the operator switched off', 'execute_sql', { ...SQL, readOnlyStatements: false }],
  ])('finds none in %s', (_what, name, example) => expect(statementOf(name, example)).toBeUndefined());
});
