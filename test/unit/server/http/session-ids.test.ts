import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../../../../src/base/observe/observation.js';
import { NO_ABILITIES } from '../../../../src/base/protocol/ask.js';
import { createSessionIds, readSessionKey } from '../../../../src/server/http/session-ids.js';

const KEY = Buffer.alloc(32, 1);
const ABILITIES = { form: true, url: false, sampling: true, samplingTools: false, roots: true };
const ANN = { client: 'ann', abilities: ABILITIES, structured: true };

describe('session ids', () => {
  it('are recognised by a later process with the same key, for the client that they were made for', () => {
    const id = createSessionIds(KEY).create(ANN);
    const later = createSessionIds(KEY);
    expect(later.readEarlier(id, 'ann')).toEqual(ANN);
    expect(later.readEarlier(id, 'bob')).toBeUndefined();
    expect(later.readEarlier(id, undefined)).toBeUndefined();
    expect(createSessionIds(Buffer.alloc(32, 2)).readEarlier(id, 'ann')).toBeUndefined();
  });

  it('of this process are not of an earlier one', () => {
    const ids = createSessionIds(KEY);
    expect(ids.readEarlier(ids.create(ANN), 'ann')).toBeUndefined();
  });

  it('cannot be made up or altered', () => {
    const id = createSessionIds(KEY).create({ client: undefined, abilities: NO_ABILITIES, structured: false });
    const later = createSessionIds(KEY);
    expect(later.readEarlier(id, undefined)).toEqual({
      client: undefined,
      abilities: NO_ABILITIES,
      structured: false,
    });
    const altered = [
      `e${id.slice(1)}`,
      `s${id.slice(1)}`,
      id.slice(0, -1),
      `${id}0`,
      id.replace(/.$/, (end) => (end === '0' ? '1' : '0')),
    ];
    for (const each of [...altered, '', 'made-up']) expect(later.readEarlier(each, undefined)).toBeUndefined();
  });
});

describe('the key of session ids', () => {
  it('is made once in the data directory, for its owner alone', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'session-key-'));
    const observe = (observation: Observation): void => {
      throw new Error(observation.kind);
    };
    const key = readSessionKey(directory, observe);
    expect(readSessionKey(directory, observe)).toEqual(key);
    expect(await readFile(join(directory, 'session.key'), 'utf8')).toBe(key.toString('hex'));
    expect((await stat(join(directory, 'session.key'))).mode & 0o777).toBe(0o600);
    await rm(directory, { recursive: true });
  });

  it('is that of the process alone where it cannot be kept, and the log says so', () => {
    const observations: Observation[] = [];
    const key = readSessionKey('/dev/null/nowhere', (observation) => observations.push(observation));
    expect(key).toHaveLength(32);
    expect(observations).toMatchObject([{ kind: 'notice', level: 'warn' }]);
  });
});
