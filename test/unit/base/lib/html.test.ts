import { describe, expect, it } from 'vitest';
import { exactly, html } from '../../../../src/base/lib/html.js';

describe('html', () => {
  it('takes texts as texts, in content and in attributes, at any depth', () => {
    const text = `<b a="1" b='2'>&`;
    const escaped = '&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;';
    expect(html`<p title="${text}">${[text, [html`<i>${text}</i>`]]}</p>`.toString()).toBe(
      `<p title="${escaped}">${escaped}<i>${escaped}</i></p>`,
    );
  });

  it('spells out what people do not see, but not in a value that comes back as it is', () => {
    expect(html`${'a\u202eb\u200b\r'}`.toString()).toBe('a\\u202eb\\u200b\\u000d');
    expect(html`${exactly('a\u202e"<')}`.toString()).toBe('a\u202e&quot;&lt;');
  });

  it('writes numbers, and nothing for what is absent', () => {
    expect(html`<p>${0}${undefined}${''}</p>`.toString()).toBe('<p>0</p>');
  });
});
