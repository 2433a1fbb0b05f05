import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageExcerpt, sketchMessage } from '../../../../src/server/mcp/message-excerpt.js';

const id = fc.oneof(fc.integer(), fc.string());
const message = fc.record({ id, params: fc.dictionary(fc.string(), fc.jsonValue()) });

describe('sketchMessage', () => {
  it('reads id and method in any order', () => {
    const orders = ['id,method,params', 'method,params,id', 'params,method,id', 'jsonrpc,id,params,method'];
    fc.assert(
      fc.property(message, fc.constantFrom(...orders), ({ id: given, params }, order) => {
        const members: Record<string, unknown> = { jsonrpc: '2.0', method: 'tools/call', id: given, params };
        const text = JSON.stringify(Object.fromEntries(order.split(',').map((key) => [key, members[key]])));
        expect(sketchMessage(text, text)).toEqual({ method: 'tools/call', id: given });
      }),
    );
  });

  it('ignores a nested id and an incomplete one', () => {
    fc.assert(
      fc.property(message, fc.nat(), ({ id: given, params }, cut) => {
        const text = JSON.stringify({ params: { ...params, id: 'nested' }, id: given, method: 'tools/call' });
        const sketch = sketchMessage(text.slice(0, cut % text.length), '');
        expect([given, undefined]).toContain(sketch.id);
      }),
    );
  });

  it('finds an id at the end, before the version too', () => {
    expect(sketchMessage('{"method":"tools/call","params":{', 'xxx"}},"jsonrpc":"2.0","id":12}').id).toBe(12);
    expect(sketchMessage('{"method":"tools/call","params":{', 'xxx"}},"id":"a\\"b","jsonrpc":"2.0"} \n').id).toBe(
      'a"b',
    );
    expect(sketchMessage('{"method":"tools/call","params":{', 'xxx \\"id\\":12}').id).toBeUndefined();
    expect(sketchMessage('{"method":"tools/call","params":{', '"id":12}}').id).toBeUndefined();
  });

  it('reads nothing from a message that is not an object', () => {
    for (const text of ['', '[{"id":1}]', 'nonsense', '"id":1', '{"id":']) {
      expect(sketchMessage(text, '')).toEqual({ method: undefined, id: undefined });
    }
  });
});

describe('MessageExcerpt', () => {
  it('keeps the beginning and the end of any number of chunks, and counts all bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3_000 }), { maxLength: 12 }), (sizes) => {
        const head = Buffer.from('{"method":"tools/call","params":"');
        const tail = Buffer.from('","jsonrpc":"2.0","id":31}');
        const excerpt = new MessageExcerpt();
        for (const chunk of [head, ...sizes.map((size) => Buffer.alloc(size, 'x')), tail]) excerpt.add(chunk);
        expect(excerpt.size).toBe(head.length + tail.length + sizes.reduce((sum, size) => sum + size, 0));
        expect(excerpt.sketch()).toEqual({ method: 'tools/call', id: 31 });
      }),
    );
  });
});
