import { describe, expect, it } from 'vitest';
import { findRefusedParameters } from '../../../../src/base/protocol/refused-arguments.js';
import { anOperation } from '../../../support/an-operation.js';

const parameter = (name: string, upstreamName: string, place: 'params' | 'input' = 'params') =>
  ({ name, upstreamName, place, required: false, schema: {} }) as const;

const operation = anOperation({
  parameters: [
    parameter('file_path', 'filePath'),
    parameter('edits', 'edits', 'input'),
    parameter('path', 'path'),
    parameter('name', 'name'),
    parameter('limit', 'limit'),
  ],
});

describe('the parameters that an upstream refuses', () => {
  it.each([
    ['[{"code": "invalid_type", "path": ["filePath"], "message": "Required"}]', ['file_path']],
    ['✖ Invalid input\n  → at edits[0].oldText', ['input.edits']],
    ['data/edits/0 must be string', ['input.edits']],
    ['/edits/0/name must be string', ['input.edits']],
    ["data must have required property 'filePath'", ['file_path']],
    ["'filePath' is a required property", ['file_path']],
    ['filePath is required', ['file_path']],
    ["No directory is set. Please specify a 'path' or use git_set", ['path']],
    ['1 validation error for call[x]\nfilePath\n  Missing', ['file_path']],
    ['limit: Expected number, received string', ['limit']],
    ['filePath is required, limit must be positive', ['file_path', 'limit']],
  ])('are named in %j as callers write them', (words, expected) => {
    expect(findRefusedParameters(words, operation)).toEqual(expected);
  });

  it.each([
    'the path to the name has no limit',
    'title is required',
    '"path": [0], "name": "ZodError"',
    'no name, no limit',
  ])('are not guessed from %j', (words) => {
    expect(findRefusedParameters(words, operation)).toEqual([]);
  });
});
