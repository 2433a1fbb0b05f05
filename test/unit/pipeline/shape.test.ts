import { describe, expect, it } from 'vitest';
import { fromFailedTool } from '../../../src/pipeline/shape.js';
import { anOperation } from '../../support/an-operation.js';

const failed = (text: string) => ({ isError: true, content: [{ type: 'text', text }] });

describe('fromFailedTool', () => {
  it.each([
    ['Request failed with status code 404', 'NOT_FOUND_RESOURCE'],
    ["ENOENT: no such file or directory, open 'x'", 'NOT_FOUND_RESOURCE'],
    ['Entity with name X does not exist', 'NOT_FOUND_RESOURCE'],
    ['HTTP 401: bad credentials', 'PERMISSION_DENIED'],
    ['Access denied - path outside allowed directories', 'PERMISSION_DENIED'],
    ['409 Conflict: branch already exists', 'CONFLICT_ALREADY_EXISTS'],
    ['429 Too Many Requests', 'RATE_LIMIT_EXCEEDED'],
    ['MCP error -32602: Invalid arguments for tool x', 'VALIDATION_INVALID_TYPE'],
    ['the disk is on fire', 'INTERNAL_ERROR'],
    ['Payment of 404 EUR failed', 'INTERNAL_ERROR'],
    ['order 429 was lost by 401 of 403 workers', 'INTERNAL_ERROR'],
    ['failed: MCP error -32601: Method not found', 'INTERNAL_ERROR'],
  ])('reads %j as %s', (words, code) => {
    const error = fromFailedTool(anOperation(), failed(words));
    expect(error.code).toBe(code);
    expect(error.details['upstream_error']).toBe(words);
  });

  it('quotes only the first line and keeps the whole text in the details', () => {
    const words = `first line\n${'x'.repeat(500)}`;
    const error = fromFailedTool(anOperation(), failed(words));
    expect(error.message).toBe("Internal error: 'first line'");
    expect(error.details['upstream_error']).toBe(words);
  });

  it('keeps a structured failure', () => {
    const error = fromFailedTool(anOperation(), { isError: true, structuredContent: { why: 'full' }, content: [] });
    expect(error.details['upstream_error']).toEqual({ structured_content: { why: 'full' } });
    expect(error.message).toBe("Internal error: 'the upstream reported a failure without saying why'");
  });
});
