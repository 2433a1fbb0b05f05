import { describe, expect, it } from 'vitest';
import type { WordsMode } from '../../../../src/base/protocol/clean-words.js';
import { readFailure, resourceOf } from '../../../../src/base/protocol/upstream-failure.js';
import { anOperation } from '../../../support/an-operation.js';

const read = (words: string, mode: WordsMode = 'clean') =>
  readFailure({ words }, { upstream: 'one', arguments: {}, words: mode });

describe("an upstream's failure", () => {
  it.each([
    ['Request failed with status code 404', 'NOT_FOUND_RESOURCE'],
    ["ENOENT: no such file or directory, open 'x'", 'NOT_FOUND_RESOURCE'],
    ["browserType.launch: Executable doesn't exist", 'INTERNAL_ERROR'],
    ['spawn ffmpeg ENOENT', 'INTERNAL_ERROR'],
    ['Command failed with exit code 127\nsh: 1: rg: not found', 'INTERNAL_ERROR'],
    ['bash: line 3: kubectl: command not found', 'INTERNAL_ERROR'],
    ["'git' is not recognized as an internal or external command", 'INTERNAL_ERROR'],
    ['Record rg: not found', 'NOT_FOUND_RESOURCE'],
    ['Invalid time zone specified: Berlin', 'VALIDATION_INVALID_VALUE'],
    ["Unknown unit 'kg' in length. Supported units: m, km", 'VALIDATION_INVALID_VALUE'],
    ['Unsupported format "docx". Available formats are pdf and html', 'VALIDATION_INVALID_VALUE'],
    ['Cannot parse "zz" as base 10', 'VALIDATION_INVALID_VALUE'],
    ['Unknown error. The log has more', 'INTERNAL_ERROR'],
    ['Invalid API credentials provided', 'INTERNAL_ERROR'],
    ['Invalid response given by the service', 'INTERNAL_ERROR'],
    ['Unsupported operation on this server', 'INTERNAL_ERROR'],
    ['Cannot parse the response of the service', 'INTERNAL_ERROR'],
    ["Cannot find module 'sharp'", 'INTERNAL_ERROR'],
    ['Entity with name X does not exist', 'NOT_FOUND_RESOURCE'],
    ['HTTP 401: bad credentials', 'PERMISSION_DENIED'],
    ['Access denied - path outside allowed directories', 'PERMISSION_DENIED'],
    ['Path not allowed. It must be within an allowed one', 'PERMISSION_DENIED'],
    ['the file lies outside the allowed directories', 'PERMISSION_DENIED'],
    ['409 Conflict: branch already exists', 'CONFLICT_ALREADY_EXISTS'],
    ['429 Too Many Requests', 'RATE_LIMIT_EXCEEDED'],
    ['MCP error -32602: Invalid arguments for tool x', 'VALIDATION_INVALID_TYPE'],
    ['Cannot specify both head and tail parameters simultaneously', 'VALIDATION_INVALID_VALUE'],
    ["No session working directory set. Please specify a 'path' or use 'x'", 'VALIDATION_INVALID_VALUE'],
    ['name is required', 'VALIDATION_INVALID_VALUE'],
    ["Missing required parameter: 'id'", 'VALIDATION_INVALID_VALUE'],
    ['limit must be a positive integer', 'VALIDATION_INVALID_VALUE'],
    ['a and b are mutually exclusive', 'VALIDATION_INVALID_VALUE'],
    ['Expected string, received number', 'VALIDATION_INVALID_VALUE'],
    ['Invalid input: expected string, received number', 'VALIDATION_INVALID_TYPE'],
    ['[{"code": "too_small", "path": ["limit"], "message": "Too small"}]', 'VALIDATION_INVALID_VALUE'],
    ['1 validation error for call[add]\na\n  Field needed', 'VALIDATION_INVALID_VALUE'],
    ['Error executing tool add: 1 validation error for addArguments\na\n  bad', 'VALIDATION_INVALID_VALUE'],
    ["Input validation error: 'x' is a required property", 'VALIDATION_INVALID_VALUE'],
    ["5 is not of type 'string'", 'VALIDATION_INVALID_VALUE'],
    ["data must have required property 'name'", 'VALIDATION_INVALID_VALUE'],
    ['data must match pattern "^a$"', 'VALIDATION_INVALID_VALUE'],
    ['Authentication is required', 'PERMISSION_DENIED'],
    ['the disk is on fire', 'INTERNAL_ERROR'],
    ["parameter 'path' is not allowed here", 'VALIDATION_INVALID_VALUE'],
    ['Expected 200 but got 503', 'INTERNAL_ERROR'],
    ['expected array but got null from the API', 'INTERNAL_ERROR'],
    ["Output validation error: 'x' is a required property", 'INTERNAL_ERROR'],
    ['1 validation error for IssueResponse\nid\n  Input should be a valid integer', 'INTERNAL_ERROR'],
    ['invalid json response body, reason: Unexpected token <', 'INTERNAL_ERROR'],
    ['The API key is missing', 'INTERNAL_ERROR'],
    ['Docker is required', 'INTERNAL_ERROR'],
    ['moved -32602 blocks', 'INTERNAL_ERROR'],
    ['2 of 3 validations were required today', 'INTERNAL_ERROR'],
    ['A restart of the service is required', 'INTERNAL_ERROR'],
    ['The cluster must be restarted', 'INTERNAL_ERROR'],
    ['Payment of 404 EUR failed', 'INTERNAL_ERROR'],
    ['order 429 was lost by 401 of 403 workers', 'INTERNAL_ERROR'],
    ['failed: MCP error -32601: Method not found', 'INTERNAL_ERROR'],
  ])('in the words %j is %s', (words, code) => {
    expect(read(words)).toMatchObject({ code, words });
  });

  it('of no known kind is told as the answer of its server, not as a fault of the gateway', () => {
    expect(read('Error: \nfetch failed\nmore').message).toBe("The server 'one' answered: 'fetch failed'");
  });

  it('says why where its first line says only that a program has ended', () => {
    const { message } = read('Stash failed: Exit Code: 1\nStderr: No stash entries found.\n\nStdout:');
    expect(message).toBe("The server 'one' answered: 'Stash failed: Exit Code: 1: No stash entries found.'");
    expect(read('exited with status 2\nStderr:').message).toBe("The server 'one' answered: 'exited with status 2'");
  });

  it('is told with what follows where its first line only opens it', () => {
    const { message } = read("Invalid arguments for search_notes: ['\n  limit: not a number,\n  query: missing\n']");
    expect(message).toContain("Invalid arguments for search_notes: [' limit: not a number, query: missing ']");
  });

  it('is told without the heading above it', () => {
    expect(read('### Error\nno page is open').message).toBe("The server 'one' answered: 'no page is open'");
  });

  it('without words says so', () => {
    expect(read(' \n').message).toMatch(/without saying why/);
  });

  it('is quoted in a short line', () => {
    expect(read('x'.repeat(300)).message).toBe(`The server 'one' answered: '${'x'.repeat(199)}…'`);
  });

  it('is told word for word where the operator wants that', () => {
    const words = 'TypeError: x\n    at f (/home/me/a.js:1:2)';
    expect(read(words, 'full').words).toBe(words);
    expect(read(words, 'clean').words).toBe('x');
  });

  it.each([
    ['rate limit: retry after 30s', 30],
    ['429 Too Many Requests, Retry-After: 12', 12],
    ['rate limit reached, try again in 2 minutes', 120],
    ['rate limit: wait 500 ms', 1],
    ['rate limit resets in 1 hour', 3600],
    ['rate limit: {"retry_after": 7}', 7],
    ['rate limit: retry attempt 3 failed', undefined],
  ])('of a rate limit %j carries the seconds to wait: %j', (words, seconds) => {
    expect(read(words).details['retry_after_seconds']).toBe(seconds);
  });
});

describe('the resource of a call', () => {
  const parameter = (name: string, required = true) =>
    ({ name, upstreamName: name, required, place: 'params', schema: {} }) as const;

  it('is named by the identifiers and the noun of the operation', () => {
    const operation = anOperation({ name: 'update_widget', identifiers: ['id'], parameters: [parameter('id')] });
    expect(resourceOf(operation, { id: 7, title: 'x' })).toEqual({ resource_type: 'widget', resource_id: '7' });
  });

  it('is named by all required parameters elsewhere', () => {
    const parameters = [parameter('owner'), parameter('repo'), parameter('page', false)];
    expect(resourceOf(anOperation({ name: 'get_repository', parameters }), { owner: 'a', repo: 'b', page: 2 })).toEqual(
      {
        resource_type: 'repository',
        resource_id: 'owner=a, repo=b',
      },
    );
  });

  it('is unknown where an identifier is sensitive, absent or no plain value', () => {
    const operation = anOperation({ parameters: [parameter('id')], sensitive: ['id'] });
    expect(resourceOf(operation, { id: 'x' })).toBeUndefined();
    expect(resourceOf(anOperation({ parameters: [parameter('id')] }), { id: {} })).toBeUndefined();
    expect(resourceOf(anOperation(), {})).toBeUndefined();
  });
});
