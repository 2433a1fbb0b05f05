import { describe, expect, it } from 'vitest';
import { findCompounds, splitRequest, splitText, stemWord } from '../../../../src/catalog/search/words.js';

describe('splitText', () => {
  it.each([
    ['getPHPInfo', ['get', 'php', 'info']],
    ['API-post-search', ['api', 'post', 'search']],
    ['git_log', ['git', 'log']],
    ['Créer l’élément', ['creer', 'l', 'element']],
    ["the team's mailbox", ['the', 'team', 'mailbox']],
    ['n8n v2, s3 and 2fa', ['n8n', 'v2', 's3', 'and', '2fa']],
    ['検索 する', ['検索', 'する']],
    [' ?! ', []],
  ])('splits "%s" into %j', (text, words) => {
    expect(splitText(text)).toEqual(words);
  });
});

describe('product names', () => {
  it('stay one word in a request, unlike names in code', () => {
    expect(splitRequest('move it from SomeForge to createIssue')).toEqual([
      'move',
      'it',
      'from',
      'someforge',
      'to',
      'create',
      'issue',
    ]);
  });

  it('are found in texts beside their parts', () => {
    expect(findCompounds('Opens a SomeForge page; HTTPServer, plain')).toEqual(['someforge']);
    expect(findCompounds('nothing here')).toEqual([]);
  });
});

describe('stemWord', () => {
  it.each([
    ['issues', 'issue'],
    ['deployment', 'deploy'],
    ['notifications', 'notify'],
    ['wrote', 'write'],
    ['indices', 'index'],
  ])('gives %s and %s the same stem', (word, other) => {
    expect(stemWord(word)).toBe(stemWord(other));
  });

  it.each([
    ['business', 'busy'],
    ['news', 'new'],
    ['customer', 'custom'],
    ['authorize', 'author'],
    ['past', 'paste'],
  ])('gives %s and %s different stems', (word, other) => {
    expect(stemWord(word)).not.toBe(stemWord(other));
  });

  it('gives the same stem after its cache was cleared', () => {
    const before = stemWord('releases');
    for (let index = 0; index < 60_000; index += 1) stemWord(`word${index}`);
    expect(stemWord('releases')).toBe(before);
  });
});
