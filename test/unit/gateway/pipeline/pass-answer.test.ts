import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { PayloadLimits } from '../../../../src/base/protocol/limits.js';
import type { Reply, ToolCallResult, Warning } from '../../../../src/base/protocol/result.js';
import { WireAnswer } from '../../../../src/base/protocol/wire-answer.js';
import { toResultData } from '../../../../src/gateway/pipeline/result-data.js';
import { shapeRead, shapeUnread } from '../../../../src/gateway/pipeline/shape.js';
import { createResultWriter } from '../../../../src/server/mcp/write-result.js';
import { OwnCredentials } from '../../../../src/upstream/transport/own-credentials.js';
import { splitAnswer } from '../../../../src/upstream/transport/split-answer.js';
import { readMessages } from '../../../../src/upstream/transport/wire-messages.js';

const CREDENTIAL = 'key/"with\\everything"';
const credentials = new OwnCredentials({
  type: 'http',
  url: 'http://localhost/',
  headers: { authorization: CREDENTIAL },
});
const LIMITS: PayloadLimits = {
  maxRequestSize: 1_000_000,
  maxResponseSize: 1_000_000,
  maxStringLength: 1_000_000,
  maxArrayElements: 10_000,
  maxNestingDepth: 20,
};
const WARNING: Warning = { code: 'SLOW', message: 'It took "long"\n' };

/** Long enough to be split. */
const PADDING = 'x'.repeat(8 * 1024);

function toWire(result: object, { before = {}, after = {} } = {}): Buffer {
  return Buffer.from(JSON.stringify({ ...before, jsonrpc: '2.0', id: 7, result, ...after }));
}

/** The same bytes as they may come. */
function cut(wire: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % wire.length), wire.length].sort((a, b) => a - b);
  return ends.map((end, at) => wire.subarray(ends[at - 1] ?? 0, end));
}

function textResult(text: string, rest: object = {}): ToolCallResult {
  return { content: [{ type: 'text', text }], ...rest };
}

async function shaped(
  toolResult: ToolCallResult | WireAnswer,
  limits = LIMITS,
  warnings: readonly Warning[] = [],
): Promise<Reply> {
  if (toolResult instanceof WireAnswer) return shapeUnread(toolResult, warnings, limits);
  const data = toResultData(toolResult);
  return shapeRead(toolResult, data, { dataText: data.dataText, warnings }, limits);
}

/** The response as its client reads it. */
function sent(reply: Reply): unknown {
  const message = createResultWriter(
    { name: 'gateway', version: '1' },
    { errors: 'all', structuredContent: false },
  ).callMessage(1, reply, 'legacy');
  return JSON.parse(typeof message === 'string' ? message : Buffer.concat(message).toString('utf8'));
}

/** The same answer on both ways. */
async function bothWays(wire: Buffer, warnings: readonly Warning[] = [], places: readonly number[] = []) {
  const released = splitAnswer(cut(wire, places))?.release(credentials);
  const [message] = readMessages(wire.toString('utf8')) as unknown as readonly { readonly result: ToolCallResult }[];
  const parsed = await shaped(credentials.maskAll(message?.result ?? {}), LIMITS, warnings);
  return { released, parsed, passed: released && (await shaped(released, LIMITS, warnings)) };
}

function isJson(wire: Buffer): boolean {
  try {
    JSON.parse(wire.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

const json = fc.oneof(
  fc.json({ stringUnit: 'grapheme' }),
  fc.jsonValue().map((value) => JSON.stringify([value])),
  fc.constantFrom('[9007199254740993, 1e400, 1.0, 0.10, -0]', '{"a":1,"a":2,"__proto__":3}', '[1,2', '[INFO] started'),
);
const texts = fc.oneof(
  json.map((text) => text + ' '.repeat(PADDING.length)),
  json.map((text) => `[${JSON.stringify(PADDING)},${text}]`),
  fc.string({ unit: 'grapheme' }).map((text) => text + PADDING),
  fc.constantFrom(PADDING, `"${PADDING}`, `${PADDING}\\`, `${PADDING}\n"quoted"`, `${CREDENTIAL}${PADDING}`),
);
const metas = fc.option(fc.dictionary(fc.string(), fc.jsonValue()), { nil: undefined });

describe('an answer that is passed on as it came', () => {
  it('is what parsing and writing it would give, to the byte of its envelope', async () => {
    let split = 0;
    await fc.assert(
      fc.asyncProperty(texts, metas, fc.boolean(), fc.array(fc.nat()), async (text, meta, isWarned, places) => {
        const rest = { ...(meta === undefined ? {} : { _meta: meta }), isError: false, other: ['"'] };
        const wire = toWire(textResult(text, rest));
        const { parsed, passed } = await bothWays(wire, isWarned ? [WARNING] : [], places);
        if (passed === undefined) return;
        split += 1;
        expect(passed.text).toBe(parsed.text);
        expect(sent(passed)).toEqual(sent(parsed));
      }),
      { numRuns: 500 },
    );
    expect(split).toBeGreaterThan(100);
  });

  it('is not decoded, parsed or written again', async () => {
    const text = JSON.stringify([{ name: 'é"\\', text: PADDING }]);
    const wire = toWire(textResult(text));
    const answer = splitAnswer(cut(wire, [wire.length / 2]));
    const parse = vi.spyOn(JSON, 'parse');
    const stringify = vi.spyOn(JSON, 'stringify');
    const reply = await shaped(answer?.release(credentials) ?? {});
    const longest = [...parse.mock.calls, ...stringify.mock.calls].map(([given]) => String(given).length);
    parse.mockRestore();
    stringify.mockRestore();
    expect(Math.max(0, ...longest)).toBeLessThan(1_000);
    // Parts of the wire itself.
    const passed = reply.written?.filter(({ buffer, length }) => buffer === wire.buffer && length > 1_000) ?? [];
    expect(Buffer.concat(passed).length).toBeGreaterThan(PADDING.length);
  });

  it('says once what its text and its structured content both say, and otherwise what parsing it would give', async () => {
    const structures = ['same', 'member', 'member with a blank', 'other', 'escaped'] as const;
    const names = fc.constantFrom('items', 'a b', 'ñ', 'with"quote', 'structuredContent');
    let split = 0;
    await fc.assert(
      fc.asyncProperty(
        json,
        json,
        fc.constantFrom(...structures),
        names,
        fc.array(fc.nat()),
        async (own, other, kind, name, places) => {
          const text = `[${JSON.stringify(PADDING)},${own}]`;
          const key = JSON.stringify(name);
          const member = kind === 'member' ? `{${key}:${text}}` : `{${key}: ${text}}`;
          const structured =
            { same: text, other: `{"items":[${JSON.stringify(PADDING)},${other}]}` }[kind as string] ?? member;
          const spelled = JSON.stringify(text);
          const block = kind === 'escaped' ? spelled.replace('x', '\\u0078') : spelled;
          const wire = Buffer.from(
            `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":${block}}],"structuredContent":${structured}}}`,
          );
          if (!isJson(wire)) return;
          const { released, parsed, passed } = await bothWays(wire, [], places);
          if (released === undefined || passed === undefined) return;
          split += 1;
          expect(['same', 'member', 'member with a blank']).toContain(kind);
          // Numbers as they were written, which parsing may change.
          expect(JSON.parse(passed.text)).toEqual({ success: true, data: JSON.parse(structured) });
          expect(passed.blocks).toEqual(parsed.blocks);
          expect(Object.keys(sent(passed) as object)).toEqual(Object.keys(sent(parsed) as object));
        },
      ),
      { numRuns: 500 },
    );
    expect(split).toBeGreaterThan(100);
  });

  it('keeps structured content that says more than its text', async () => {
    const list = JSON.stringify([PADDING]);
    for (const structured of [`{"items":${list},"next":2}`, `{"items":[${JSON.stringify(`${PADDING}.`)}]}`]) {
      const wire = Buffer.from(
        `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":${JSON.stringify(list)}}],"structuredContent":${structured}}}`,
      );
      expect(splitAnswer([wire])).toBeUndefined();
    }
  });

  it('hides credentials in structured content that repeats a text', async () => {
    const list = [PADDING, CREDENTIAL];
    const { released, passed } = await bothWays(
      toWire(textResult(JSON.stringify(list), { structuredContent: { items: list } })),
    );
    expect(released).not.toBeInstanceOf(WireAnswer);
    expect(released).toMatchObject({ structuredContent: { items: [PADDING, expect.any(String)] } });
    expect(JSON.stringify(sent(passed ?? (await shaped({}))))).not.toContain('everything');
  });

  it('keeps every digit of its numbers', async () => {
    const text = `[12345678901234567890.10, 1e-999, 9007199254740993, "${PADDING}"]`;
    const { passed } = await bothWays(toWire(textResult(text)));
    expect(passed?.text).toBe(`{"success":true,"data":${text}}`);
  });

  it.each(['["x", ', '{"a": tru}', '[1 2]', '[01]', '["\\x"]'])(
    'is text where its text only looks like JSON: %s',
    async (start) => {
      const text = start + PADDING;
      const { passed } = await bothWays(toWire(textResult(text)));
      expect(JSON.parse(passed?.text ?? '')).toEqual({ success: true, data: text });
    },
  );

  it('hides the credentials that the gateway gave to its server', async () => {
    const { passed, released } = await bothWays(toWire(textResult(`${PADDING}${CREDENTIAL}`, { other: CREDENTIAL })));
    expect(released).not.toBeInstanceOf(WireAnswer);
    expect(JSON.stringify(sent(passed ?? (await shaped({}))))).not.toContain('everything');
    const beside = await bothWays(toWire(textResult(PADDING, { other: CREDENTIAL, _meta: { it: CREDENTIAL } })));
    expect(beside.released).toBeInstanceOf(WireAnswer);
    expect(JSON.stringify(sent(beside.passed ?? (await shaped({}))))).not.toContain('everything');
  });

  it('hides a credential that came in parts', () => {
    const wire = toWire(textResult(`${PADDING}${CREDENTIAL}`));
    const start = wire.indexOf(PADDING) + PADDING.length;
    const written = JSON.stringify(CREDENTIAL).length - 2;
    for (let at = start - 1; at <= start + written; at += 1) {
      for (const places of [[at], [at, at + 1], [at, at + 2, at + 3]]) {
        expect(splitAnswer(cut(wire, places))?.release(credentials)).not.toBeInstanceOf(WireAnswer);
      }
    }
  });

  it('does not change with what is read after it', async () => {
    const wires = ['a', 'b'].map((letter) => toWire(textResult(letter.repeat(PADDING.length))));
    const [first] = wires.map((wire) => splitAnswer(cut(wire, [100, 5_000])));
    const passed = await shaped(first?.release(credentials) ?? {});
    expect(passed.text).toBe(`{"success":true,"data":"${'a'.repeat(PADDING.length)}"}`);
    expect(JSON.stringify(sent(passed))).toContain('a'.repeat(PADDING.length));
  });

  it('is refused at the same size as one that was parsed', async () => {
    const text = JSON.stringify(['"'.repeat(10_000)]);
    const { released, parsed } = await bothWays(toWire(textResult(text)));
    const size = Buffer.byteLength(parsed.text);
    for (const result of [released ?? {}, textResult(text)]) {
      await expect(shaped(result, { ...LIMITS, maxResponseSize: size })).resolves.toMatchObject({ code: 'OK' });
      await expect(shaped(result, { ...LIMITS, maxResponseSize: size - 1 })).rejects.toMatchObject({
        details: { actual_value: size },
      });
    }
  });
});

describe('splitAnswer', () => {
  const text = PADDING;
  it.each<[string, Buffer]>([
    ['short answers', toWire(textResult('short'))],
    ['failures', toWire(textResult(text, { isError: true }))],
    ['answers with structured content', toWire(textResult(text, { structuredContent: { text } }))],
    ['several blocks', toWire({ content: [...(textResult(text).content ?? []), { type: 'text', text }] })],
    ['annotated blocks', toWire({ content: [{ type: 'text', text, annotations: {} }] })],
    ['questions to the client', toWire(textResult(text, { resultType: 'input_required' }))],
    ['a text that is not the content', toWire({ _meta: { text }, content: [{ type: 'text', text: '' }] })],
    ['messages with more behind them', Buffer.concat([toWire(textResult(text)), Buffer.from('{}')])],
    ['malformed messages', toWire(textResult(text)).subarray(0, -1)],
    ['bytes that are not UTF-8', Buffer.from(toWire(textResult(`é${text}`)).toString('utf8'), 'latin1')],
    ['notifications', Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { text } }))],
  ])('leaves %s to the parser', (_name, wire) => {
    expect(splitAnswer([wire])).toBeUndefined();
  });

  it('gives the whole message where that is wanted', () => {
    const wire = toWire(textResult(`"${text}`, { resultType: 'complete' }));
    expect(splitAnswer(cut(wire, [200, 300]))?.whole()).toEqual(JSON.parse(wire.toString()));
  });
});

it('an answer with digits around its text that parsing would change is not split', () => {
  const result = `{"content":[{"type":"text","text":"${PADDING}"}],"_meta":{"id":9007199254740993}}`;
  expect(splitAnswer([Buffer.from(`{"jsonrpc":"2.0","id":7,"result":${result}}`)])).toBeUndefined();
});
