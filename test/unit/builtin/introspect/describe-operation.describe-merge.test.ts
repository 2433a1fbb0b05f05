import { expect, it } from 'vitest';
import { describeMerge } from '../../../../src/builtin/introspect/describe-operation.js';
import { anOperation } from '../../../support/an-operation.js';

it('says of an UPDATE what happens to values that are left out', () => {
  expect(describeMerge(anOperation())).toMatch(/^The upstream decides /);
  expect(describeMerge(anOperation({ merge: { read: 'get_item' } }))).toMatch(
    /^The gateway merges: .*null removes.*if_match/,
  );
});
