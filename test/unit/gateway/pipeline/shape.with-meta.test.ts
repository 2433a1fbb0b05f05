import { expect, it } from 'vitest';
import type { Reply } from '../../../../src/base/protocol/result.js';
import { withMeta } from '../../../../src/gateway/pipeline/shape.js';

/** A reply of bytes, and what was decoded of them. */
function unreadReply(): { readonly reply: Reply; readonly decoded: string[] } {
  const decoded: string[] = [];
  const reply: Reply = {
    get text() {
      decoded.push('text');
      return '{}';
    },
    get blocks() {
      decoded.push('blocks');
      return [{ type: 'image' }];
    },
    written: [Buffer.from('[{"type":"text","text":"{}"},{"type":"image"}]')],
    isError: false,
    code: 'OK',
  };
  return { reply, decoded };
}

it('members are added to the metadata of a reply of bytes without decoding them', () => {
  const { reply, decoded } = unreadReply();
  const answer = withMeta(withMeta(reply, { first: 1 }), { second: 2 });
  expect(decoded).toEqual([]);
  expect(answer.meta).toEqual({ first: 1, second: 2 });
  expect([answer.text, answer.blocks]).toEqual(['{}', [{ type: 'image' }]]);
});
