import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NAME_PATTERN, QUALIFIER } from '../../../../src/base/protocol/operation.js';
import { toSlug } from '../../../../src/config/load/server-definition.js';

describe('toSlug', () => {
  it.each([
    ['github', 'github'],
    ['GitHub', 'git_hub'],
    ['my-Server.v2', 'my_server_v2'],
    ['HTTPServer', 'http_server'],
    ['a__b', 'a_b'],
    ['@scope/server name', 'scope_server_name'],
    ['Café', 'cafe'],
    ['21st-magic', 'mcp_21st_magic'],
    ['日本', 'u65e5_u672c'],
    ['!', 'mcp'],
  ])('writes %s as %s', (name, slug) => {
    expect(toSlug(name)).toBe(slug);
  });

  it('never contains the qualifier, for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const slug = toSlug(name);
        expect(slug).toMatch(NAME_PATTERN);
        expect(slug).not.toContain(QUALIFIER);
        expect(toSlug(slug)).toBe(slug);
      }),
    );
  });
});
