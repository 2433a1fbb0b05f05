import { describe, expect, it } from 'vitest';
import { findCompounds, splitRequest, splitText } from '../../../../src/catalog/search/words.js';

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
