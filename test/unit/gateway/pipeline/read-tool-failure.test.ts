import { expect, it } from 'vitest';
import { createFailureReader } from '../../../../src/gateway/pipeline/read-tool-failure.js';
import { anOperation } from '../../../support/an-operation.js';

const explain = createFailureReader('clean');
const operation = anOperation({
  parameters: [{ name: 'path', upstreamName: 'path', required: true, place: 'params', schema: {} }],
});

it('a failed tool names what was not found, with the path that the caller sent', () => {
  const text = "Error: ENOENT: no such file or directory, open '/data/a.txt'";
  const error = explain(operation, { path: '/data/a.txt' }, { isError: true, content: [{ type: 'text', text }] });
  expect(error).toMatchObject({
    code: 'NOT_FOUND_RESOURCE',
    message: "Resource not found: 'ENOENT: no such file or directory, open '/data/a.txt''",
    details: { resource_type: 'item', resource_id: '/data/a.txt' },
  });
});

it('a failed tool keeps its structured failure without stacks', () => {
  const error = explain(operation, {}, { isError: true, structuredContent: { why: 'full', stack: 'x' }, content: [] });
  expect(error.details['upstream_error']).toEqual({ structured_content: { why: 'full' } });
  expect(error.message).toMatch(/^The server 'demo' answered: .*without saying why/);
});
