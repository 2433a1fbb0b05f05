import { describe, expect, it } from 'vitest';
import { RecordQueue } from '../../../../../src/policy/audit/journal/record-queue.js';

const record = (members: string, source?: string) => ({
  time: '2026-01-28T12:00:00.000Z',
  members,
  ...(source === undefined ? {} : { source }),
});
const membersOf = (records: readonly { readonly members: string }[]): readonly string[] =>
  records.map(({ members }) => members);

describe('records that wait to be written', () => {
  it('are taken oldest first, until they have so many characters, and one at least', () => {
    const queue = new RecordQueue();
    for (const members of ['aaaa', 'bbbb', 'cccc', 'dddd']) queue.push(record(members));
    expect(membersOf(queue.take(8))).toEqual(['aaaa', 'bbbb']);
    expect(membersOf(queue.take(1))).toEqual(['cccc']);
    expect(membersOf(queue.take(1_000))).toEqual(['dddd']);
    expect(queue).toMatchObject({ taken: 4, put: 4, characters: 0, first: undefined });
  });

  it('give their space back when they are taken, in all and of their source', () => {
    const queue = new RecordQueue({ characters: 8, records: 10, perSource: { characters: 4, records: 1 } });
    queue.push(record('aaaa', 'client/a'));
    expect(queue.hasSpaceFor({ source: 'client/a' })).toBe(false);
    queue.push(record('bbbb', 'client/b'));
    expect(queue.hasSpaceFor({})).toBe(false);

    queue.take(4);
    expect(queue.characters).toBe(4);
    expect(queue.hasSpaceFor({ source: 'client/a' })).toBe(true);
    expect(queue.hasSpaceFor({ source: 'client/b' })).toBe(false);
  });
});
