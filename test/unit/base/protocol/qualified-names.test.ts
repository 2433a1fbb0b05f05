import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  qualifyPrompt,
  qualifyUri,
  readQualifiedPrompt,
  readQualifiedUri,
} from '../../../../src/base/protocol/qualified-names.js';
import { UriTemplate } from '../../../../src/gateway/primitives/owners.js';

const isUpstream = (slug: string): boolean => slug === 'docs' || slug === 'my_notes';

/** Expands as RFC 6570 has it, for one variable that is a text. */
function expand(template: string, value: string): string {
  return template.replace(/\{([+#./;?&]?)x\}/g, (_all, operator: string) => {
    const encoded = encodeURIComponent(value).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
    const reserved = encodeURI(value);
    const forms: Record<string, string> = {
      '': encoded,
      '+': reserved,
      '#': `#${reserved}`,
      '.': `.${encoded}`,
      '/': `/${encoded}`,
      ';': `;x=${encoded}`,
      '?': `?x=${encoded}`,
      '&': `&x=${encoded}`,
    };
    return forms[operator] ?? '';
  });
}

const OPERATORS = ['', '+', '#', '.', '/', ';', '?', '&'];

describe('qualified names', () => {
  it('give back every URI, whatever it holds', () => {
    const uri = fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(uri, fc.constantFrom('docs', 'my_notes'), (id, upstream) => {
        // Nothing behind the scheme is no URI; an encoded scheme is the form of earlier releases.
        fc.pre(!/^(?:(?:ui|skill):\/\/)?$|^[a-z][a-z0-9+.-]*%3A/i.test(id));
        expect(readQualifiedUri(qualifyUri({ upstream, id }), isUpstream)).toEqual({ upstream, id });
      }),
    );
  });

  it.each([
    ['note://1', 'mcp-aql://docs/note://1'],
    ['skill://team/review/SKILL.md', 'skill://mcp-aql.docs/team/review/SKILL.md'],
    ['repo://x/review/SKILL.md?a=b#c', 'mcp-aql://docs/repo://x/review/SKILL.md?a=b#c'],
    ['ui:///page', 'ui://mcp-aql.docs//page'],
  ])('keep the path of %s', (id, qualified) => {
    expect(qualifyUri({ upstream: 'docs', id })).toBe(qualified);
    expect(readQualifiedUri(qualified, isUpstream)).toEqual({ upstream: 'docs', id });
  });

  it.each([
    ['mcp-aql://docs/note%3A%2F%2F1', 'note://1'],
    ['skill://mcp-aql.docs/skill%3A%2F%2Freview%2FSKILL.md', 'skill://review/SKILL.md'],
  ])('are read in the form of earlier releases: %s', (qualified, id) => {
    expect(readQualifiedUri(qualified, isUpstream)).toEqual({ upstream: 'docs', id });
  });

  it.each(OPERATORS)("give back what a client made of a template with '{%sx}'", (operator) => {
    const template = `notes://box/a%20b{${operator}x}`;
    const qualified = qualifyUri({ upstream: 'docs', id: template });
    for (const value of ['plain', 'with space', '100%', 'ä/ö', 'a:b', 'x?y#z&'])
      expect(readQualifiedUri(expand(qualified, value), isUpstream)).toEqual({
        upstream: 'docs',
        id: expand(template, value),
      });
  });

  it('are none where the server is not configured', () => {
    expect(readQualifiedUri('mcp-aql://other/a%3Ab', isUpstream)).toBeUndefined();
    expect(readQualifiedUri('https://docs/a', isUpstream)).toBeUndefined();
    expect(readQualifiedPrompt('other__a', isUpstream)).toBeUndefined();
    expect(readQualifiedPrompt('docs__', isUpstream)).toBeUndefined();
  });

  it('give back the name of a prompt, also one with two underscores', () => {
    const owned = { upstream: 'my_notes', id: 'a__b' };
    expect(readQualifiedPrompt(qualifyPrompt(owned), isUpstream)).toEqual(owned);
  });
});

describe('a URI template', () => {
  it.each(OPERATORS)("matches what a client makes of '{%sx}'", (operator) => {
    const template = `notes://box/{${operator}x}/end`;
    for (const value of ['', 'plain', 'with space', '100%', 'ä'])
      expect(new UriTemplate(template).matches(expand(template, value))).toBe(true);
  });

  it.each([
    ['notes://box/{x}', 'notes://box/a/b'],
    ['notes://box/{x}', 'other://box/a'],
    ['notes://box/{x}/end', 'notes://box/a'],
    ['notes://box{?x}', 'notes://box/a'],
    ['notes://box', 'notes://box/'],
  ])('%s does not match %s', (template, uri) => {
    expect(new UriTemplate(template).matches(uri)).toBe(false);
  });

  it('leaves out what a client leaves out', () => {
    expect(new UriTemplate('a://b{/x,y}{?q,r}{#f}').matches('a://b')).toBe(true);
    expect(new UriTemplate('a://b{/x,y}{?q,r}{#f}').matches('a://b/1/2?q=3&r=4#5')).toBe(true);
  });

  it('takes no longer for a template that is made to', () => {
    const hostile = `a:${'{+x}'.repeat(90)}!`;
    expect(new UriTemplate(hostile).matches(`a:${'y'.repeat(8_000)}`)).toBe(false);
    expect(new UriTemplate('{x}'.repeat(50_000)).matches('y')).toBe(false);
  });
});
