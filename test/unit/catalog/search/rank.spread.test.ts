import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spreadOverServers } from '../../../../src/catalog/search/rank.js';
import { fakeOperation } from '../endpoint/fake-catalog.js';

/** @param written server and score of each hit, such as `mail 90` */
const hitsOf = (...written: readonly string[]) =>
  written.map((each, index) => {
    const [upstream = '', score] = each.split(' ');
    return { operation: fakeOperation(`operation_${index}`, { upstream }), score: Number(score) };
  });
const shown = (...written: readonly string[]) =>
  spreadOverServers(hitsOf(...written)).map(({ operation, score }) => `${operation.upstream} ${score}`);

describe('spreadOverServers', () => {
  it('shows what another server has in place of the fourth hit of one that scores hardly more', () => {
    expect(shown('mail 90', 'mail 80', 'mail 75', 'mail 70', 'mail 69', 'files 60', 'files 20')).toEqual([
      'mail 90',
      'mail 80',
      'mail 75',
      'files 60',
      'mail 60',
      'mail 60',
      'files 20',
    ]);
  });

  it('leaves a server all places where what others have is much worse, or nobody else has anything', () => {
    const worse = ['mail 90', 'mail 80', 'mail 75', 'mail 70', 'mail 69', 'files 50'];
    expect(shown(...worse)).toEqual(worse);
    expect(shown(...worse.slice(0, 5))).toEqual(worse.slice(0, 5));
  });

  it('keeps all hits, the best one first, and their scores in order', () => {
    const servers = fc.constantFrom('mail', 'files', 'chat');
    const scored = fc.array(fc.tuple(servers, fc.integer({ min: 1, max: 100 })), { maxLength: 20 });
    fc.assert(
      fc.property(scored, (pairs) => {
        const hits = hitsOf(...pairs.sort(([, a], [, b]) => b - a).map(([server, score]) => `${server} ${score}`));
        const spread = spreadOverServers(hits);
        const names = (list: readonly { operation: { name: string } }[]) => list.map(({ operation }) => operation.name);
        expect(names(spread).sort()).toEqual(names(hits).sort());
        expect(spread[0]).toEqual(hits[0]);
        const scores = spread.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      }),
    );
  });
});
