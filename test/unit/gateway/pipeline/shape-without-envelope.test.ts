import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepExactNumbers } from '../../../../src/base/json/exact-result.js';
import type { JsonObject } from '../../../../src/base/json/json.js';
import { shapeNative } from '../../../../src/gateway/pipeline/shape-without-envelope.js';
import { piecesOf } from '../../../../src/server/mcp/message-text.js';
import { createResultWriter, type Era } from '../../../../src/server/mcp/write-result.js';

const LIMITS = {
  maxRequestSize: 1_048_576,
  maxResponseSize: 10_485_760,
  maxStringLength: 10_485_760,
  maxArrayElements: 10_000,
  maxNestingDepth: 20,
};
const LARGE = 'x'.repeat(2_000_000);
const writer = createResultWriter({ name: 'gateway', version: '1' }, { errors: 'all', structuredContent: false });
const REQUEST = { id: 1, method: 'resources/read', params: {} };

async function sent(result: JsonObject, era: Era): Promise<string> {
  const reply = await shapeNative(result, LIMITS);
  return Buffer.concat(piecesOf(writer.nativeResult(REQUEST, reply, era))).toString('utf8');
}

describe('a large result of a request that is no call', () => {
  it.each(['legacy', 'modern'] as const)(
    'is written like a small one, in pieces that hold no other calls (%s)',
    async (era) => {
      await fc.assert(
        fc.asyncProperty(fc.json({ maxDepth: 2 }), fc.option(fc.nat()), async (json, ttlMs) => {
          const small = { contents: [{ uri: 'a:b', text: 'y' }], other: JSON.parse(json), _meta: { 'a/b': 1 } };
          const of = (text: string) => ({
            ...small,
            contents: [{ uri: 'a:b', text }],
            ...(ttlMs !== null && { ttlMs }),
          });
          const large = await sent(of(LARGE), era);
          expect(large.replace(LARGE, 'y')).toBe(await sent(of('y'), era));
        }),
        { numRuns: 20 },
      );
    },
  );

  it('keeps the digits of its numbers and every character', async () => {
    const text = `{"result":{"contents":[{"uri":"a:b","text":"${'😀\\n'.repeat(300_000)}","size":12345678901234567890}]}}`;
    const message = JSON.parse(text) as { readonly result: JsonObject };
    keepExactNumbers(message, text);
    const written = await sent(message.result, 'modern');
    expect(written).toContain('"size":12345678901234567890');
    expect(written).toContain('😀\\n'.repeat(300_000));
  });

  it('is refused where it has more bytes than answers may have', async () => {
    const shaping = async () => shapeNative({ contents: [{ text: LARGE }] }, { ...LIMITS, maxResponseSize: 1_000_000 });
    await expect(shaping()).rejects.toMatchObject({ code: 'VALIDATION_PAYLOAD_TOO_LARGE' });
  });
});
