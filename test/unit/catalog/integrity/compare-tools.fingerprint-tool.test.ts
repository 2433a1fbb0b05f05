import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject } from '../../../../src/base/json/json.js';
import type { RawTool } from '../../../../src/base/protocol/tools.js';
import { fingerprintTool, readDefinition, UNREADABLE } from '../../../../src/catalog/integrity/compare-tools.js';

const TOOL: RawTool = {
  name: 'send_mail',
  title: 'Send mail',
  description: 'Sends a mail.',
  inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to', 'body'] },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: false },
};

/** The same value with every object's members in reverse. */
function reverse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverse);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reverse(member)]),
  );
}

describe('fingerprintTool', () => {
  it('returns a SHA-256', () => {
    expect(fingerprintTool(TOOL)).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it.each<[string, RawTool]>([
    ['name', { ...TOOL, name: 'x' }],
    ['title', { ...TOOL, title: 'x' }],
    ['description', { ...TOOL, description: 'Sends a mail' }],
    ['description, invisibly', { ...TOOL, description: 'Sends a mail.\u200b' }],
    ['input schema', { ...TOOL, inputSchema: { type: 'object', properties: { to: { type: 'integer' } } } }],
    ['output schema', { ...TOOL, outputSchema: { type: 'object', title: 'x' } }],
    ['output schema gone', { ...TOOL, outputSchema: undefined }],
    ['annotations', { ...TOOL, annotations: { readOnlyHint: true } }],
  ])('changes with the %s', (_, changed) => {
    expect(fingerprintTool(changed)).not.toBe(fingerprintTool(TOOL));
  });

  it('ignores members that neither models nor validation read', () => {
    expect(fingerprintTool({ ...TOOL, _meta: { version: 2 }, icons: [] })).toBe(fingerprintTool(TOOL));
  });

  it('ignores the order of members that are sets', () => {
    const schema = { type: 'object', properties: { to: { type: 'string' } }, required: ['body', 'to'] };
    expect(fingerprintTool({ ...TOOL, inputSchema: schema })).toBe(fingerprintTool(TOOL));
  });

  it('changes with the order of members that are lists', () => {
    const [a, b] = [
      ['x', 'y'],
      ['y', 'x'],
    ].map((examples) => ({ ...TOOL, inputSchema: { examples } }));
    expect(fingerprintTool(a as RawTool)).not.toBe(fingerprintTool(b as RawTool));
  });

  it('ignores the order of object members, and is equal for a tool and its recorded definition', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (inputSchema) => {
        const tool = { name: 'x', inputSchema };
        expect(fingerprintTool(reverse(tool) as RawTool)).toBe(fingerprintTool(tool));
        const written: RawTool = JSON.parse(JSON.stringify(readDefinition(tool)));
        expect(fingerprintTool(written)).toBe(fingerprintTool(tool));
      }),
    );
  });

  it('includes a member called __proto__', () => {
    const hidden = JSON.parse(
      '{"name": "x", "inputSchema": {"properties": {"__proto__": {"type": "string"}}}}',
    ) as RawTool;
    const plain = { name: 'x', inputSchema: { properties: {} } };
    expect(fingerprintTool(hidden)).not.toBe(fingerprintTool(plain));
  });

  it('gives no SHA-256 for a definition that is nested too deeply', () => {
    let schema: unknown = {};
    for (let depth = 0; depth < 100_000; depth += 1) schema = { items: schema };
    const tool = { name: 'x', inputSchema: schema };
    expect(fingerprintTool(tool)).toBe(UNREADABLE);
    expect(readDefinition(tool)).toEqual({ name: 'x' });
  });
});
