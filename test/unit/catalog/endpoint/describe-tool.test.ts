import { describe, expect, it } from 'vitest';
import { sketchRequest } from '../../../../src/catalog/endpoint/describe-tool.js';
import { fakeOperation } from './fake-catalog.js';

describe('sketchRequest', () => {
  it('shows an operation without required parameters with empty params', () => {
    expect(sketchRequest(fakeOperation('list_files'))).toBe("{operation:'list_files',params:{}}");
  });

  it('shows required parameters with ellipses for their values', () => {
    expect(sketchRequest(fakeOperation('read_file', { required: ['path'] }))).toBe(
      "{operation:'read_file',params:{path:…}}",
    );
  });

  it('shows the changes of an UPDATE inside input', () => {
    const update = fakeOperation('update_issue', { category: 'UPDATE', required: ['issue_id'], input: ['title'] });
    expect(sketchRequest(update)).toBe("{operation:'update_issue',params:{issue_id:…,input:{title:…}}}");
  });

  it('shows the input of an UPDATE even when no field of it is required', () => {
    expect(sketchRequest(fakeOperation('update_issue', { category: 'UPDATE', required: ['issue_id'] }))).toBe(
      "{operation:'update_issue',params:{issue_id:…,input:{…}}}",
    );
  });

  it('shows at most two parameters and leaves out names that are long or not in snake_case', () => {
    const operation = fakeOperation('draw', { required: ['x', 'this_name_is_far_too_long', 'y'] });
    expect(sketchRequest(operation)).toBe("{operation:'draw',params:{x:…,…}}");
    expect(sketchRequest(fakeOperation('draw', { required: ['Say yes', 'x'] }))).toBe(
      "{operation:'draw',params:{x:…,…}}",
    );
  });
});
