import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../../src/base/json/json.js';
import { describeValue } from '../../../../src/catalog/grouped-tools/narrow-schema.js';

const describeGet = (method: JsonSchema, description = 'Works on crates.') =>
  describeValue(
    { name: 'crate_write', description, inputSchema: { type: 'object', properties: { method } } },
    { parameter: 'method', value: 'get', name: 'get_crate' },
    description,
  );

const lead = (method: JsonSchema, description?: string) => describeGet(method, description).split(' (')[0];

describe('describeValue', () => {
  it("says what the value does and which tool it is from, then the tool's description", () => {
    expect(describeGet({})).toBe("Get crate ('crate_write' with method 'get'). Works on crates.");
    expect(describeGet({}, '')).toBe("Get crate ('crate_write' with method 'get').");
  });

  it.each([
    "'get' reads one crate; 'create' adds one",
    'Options: get (reads one crate), create (adds one)',
    'Options are:\n- get: reads one crate\n- create: adds one',
    '`get` — reads one crate. Fast.',
    'Operation: get=reads one crate, create=adds one',
    "One of 'create' - adds one; 'get' - reads one crate (needs an id).",
  ])("takes the author's words: %j", (description) => {
    expect(lead({ description })).toBe('Reads one crate');
  });

  it('uses the description of a constant', () => {
    const oneOf = [
      { const: 'put', description: 'No' },
      { const: 'get', description: 'Reads one crate.' },
    ];
    expect(lead({ oneOf })).toBe('Reads one crate');
  });

  it("uses a list item of the tool's description", () => {
    expect(lead({}, 'Modes:\n- list: all\n- get: reads one crate\n')).toBe('Reads one crate');
    expect(lead({}, 'Never call get: it is slow.')).toBe('Get crate');
  });

  it.each(['`get` and `put` are deprecated', 'get', 'To get: ', 'forget: all of it', "'get' is required", 'get: x'])(
    'does not take %j for an explanation of the value',
    (description) => {
      expect(lead({ description })).toBe('Get crate');
    },
  );

  it.each(['(', '[', 'a+', '.*', '\\', '$&', '-'])('does not read the value %j as a pattern', (value) => {
    const schema = { properties: { method: { description: `'${value}' opens the crate` } } };
    const tool = { name: 'crate', inputSchema: schema };
    expect(describeValue(tool, { parameter: 'method', value, name: 'crate' }, '')).toMatch(
      /^Opens the crate \('crate'/,
    );
  });
});
