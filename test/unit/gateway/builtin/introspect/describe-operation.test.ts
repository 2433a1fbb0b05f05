import { describe, expect, it } from 'vitest';
import type { Parameter } from '../../../../../src/base/protocol/operation.js';
import { describeMerge, sketchSignature } from '../../../../../src/gateway/builtin/introspect/describe-operation.js';
import { anOperation } from '../../../../support/an-operation.js';
import { fakeOperation } from '../../../catalog/endpoint/fake-catalog.js';

const optional = (name: string): Parameter => ({
  name,
  upstreamName: name,
  place: 'params',
  required: false,
  schema: {},
});

describe('sketchSignature', () => {
  it('puts required parameters first and marks the others', () => {
    const { parameters, ...rest } = fakeOperation('create_issue', { required: ['owner', 'title'] });
    const operation = { ...rest, parameters: [optional('body'), ...parameters] };
    expect(sketchSignature(operation)).toBe('create_issue(owner, title, body?)');
  });

  it('shows what an UPDATE takes inside its input', () => {
    const operation = fakeOperation('update_issue', { category: 'UPDATE', required: ['id'], input: ['title'] });
    expect(sketchSignature(operation)).toBe('update_issue(id, input: {title})');
  });

  it('leaves out what does not fit a line, optional parameters long before required ones', () => {
    const many = Array.from({ length: 40 }, (_, index) => `parameter_${index}`);
    const signature = sketchSignature(fakeOperation('busy', { required: many.slice(0, 15) }));
    expect(signature).toContain('parameter_14)');
    expect(sketchSignature(fakeOperation('loose', { parameters: many.map(optional) }))).toMatch(/parameter_6\?, …\)$/);
    expect(sketchSignature(fakeOperation('hostile', { required: many })).length).toBeLessThan(350);
  });

  it('is only the name and parentheses without parameters', () => {
    expect(sketchSignature(fakeOperation('ping'))).toBe('ping()');
  });
});

it('says of an UPDATE what happens to values that are left out', () => {
  expect(describeMerge(anOperation())).toMatch(/^The upstream decides /);
  expect(describeMerge(anOperation({ merge: { read: 'get_item' } }))).toMatch(
    /^The gateway merges: fields that 'input' leaves out are not sent.*null removes.*if_match/,
  );
  expect(describeMerge(anOperation({ merge: { read: 'get_item', writes: 'whole' } }))).toMatch(
    /^The gateway merges: fields that 'input' leaves out are written back as they are.*null removes/,
  );
});
