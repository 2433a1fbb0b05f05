import { describe, expect, it } from 'vitest';
import { readRequest } from '../../../../src/catalog/search/request.js';

const KNOWN = new Set(['s3', 'read', 'write', 'access', 'files', 'list']);

/** The words of a request that say something, each with the first letter of its role where it is not asked for itself. */
function read(text: string): string {
  const { words } = readRequest(text, (word) => KNOWN.has(word));
  return words
    .filter(({ word }) => word.length > 3 || KNOWN.has(word))
    .map(({ word, role }) => (role === 'head' ? word : `${word}/${role}`))
    .join(' ');
}

describe('readRequest', () => {
  it.each([
    ['create an issue about the login page', 'create issue about/about login/about page/about'],
    ['list the tables in the shop', 'list tables shop/place'],
    ['get the pages of a section', 'pages section/of'],
    ['search for the invoices', 'search invoices'],
  ])('tells in "%s" what is asked for from where, and about what', (text, words) => {
    expect(read(text)).toBe(words);
  });

  it.each([
    ['read the file src/config.ts from disk', 'read file from/place disk/place'],
    ['refund ch_3Nabc2eZ of #1182 at 10:30', 'refund'],
    ['send "Hello World" to bob@corp.io', 'send'],
    ['set the variable API_URL=https://api.acme.dev for the worker', 'variable worker/about'],
    ['find orders, filter {"status":"paid"}', 'find orders filter/about'],
    ['when is Mrs Huber free', 'when free'],
    ['list s3 files with read/write access', 'list s3 files with/about read/about write/about access/about'],
  ])('takes addresses, paths, quoted texts, ids and numbers in "%s" for arguments', (text, words) => {
    expect(read(text)).toBe(words);
  });

  it.each([
    ['my boss is angry, so create a report', 'boss/context angry/context create report'],
    ['before lunch: get the layers and then we write the page', 'lunch/context layers write/context page/context'],
    ['refund the payment because the client is unhappy', 'refund payment client/context unhappy/context'],
    [
      'release 4.2 goes out tomorrow, so QA wants it: create a list of files',
      'release/context goes/context tomorrow/context wants/context create list files/of',
    ],
    ['since the build failed I need the logs', 'build/context failed/context logs'],
  ])('finds in "%s" the clause that asks', (text, words) => {
    const { words: all, start } = readRequest(text, () => false);
    expect(read(text).replace(/\b(?:that|need|then)\/?\w* ?/g, '')).toBe(words);
    expect(all[start]?.role).toBe('head');
  });

  it.each([
    ['next song', ['song', 'next']],
    ['next list the songs', ['list', 'songs']],
  ])('reads whether "%s" says when or which', (text, words) => {
    const found = readRequest(text, (word) => KNOWN.has(word)).words.map(({ word }) => word);
    expect(found).toEqual(expect.arrayContaining(words));
    expect(found.includes('next')).toBe(words.includes('next'));
  });

  it('says which words stand after a verb', () => {
    const { words } = readRequest('list running containers', (word) => KNOWN.has(word));
    expect(words.map(({ isAfterVerb }) => isAfterVerb)).toEqual([false, true, true]);
  });

  it('keeps of the name of a file what it holds, where operations say so', () => {
    const { words } = readRequest('resize photo.png', (word) => word === 'image');
    expect(words.map(({ word }) => word)).toEqual(['resize', 'image']);
  });

  it.each([
    ['rename notes.txt to plan.md', ['rename', 'file', 'to', 'file']],
    ['whois example.com', ['whois']],
  ])('takes only the known endings in "%s" for files', (text, expected) => {
    const { words } = readRequest(text, (word) => word === 'file');
    expect(words.map(({ word }) => word)).toEqual(expected);
  });

  it('names the sites of addresses, and the words that are written as names', () => {
    const { words, sites } = readRequest('open https://www.figma.com/file/x with Ana', () => false);
    expect(sites).toEqual(['figma']);
    expect(words.filter(({ isName }) => isName).map(({ word }) => word)).toEqual(['ana']);
  });

  it('searches a request of arguments alone as it stands', () => {
    expect(read('"quarterly report"')).toBe('quarterly report');
  });

  it('reads a long text without spaces, and one of separators, without a pause', () => {
    for (const text of ['a-_'.repeat(1_500), 'a.b/'.repeat(1_000), '"{[@'.repeat(1_000)]) {
      expect(readRequest(text, () => false).words.length).toBeLessThanOrEqual(60);
    }
  });
});
