import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Observer } from '../../base/observe/observation.js';
import { type AskAbilities, NO_ABILITIES } from '../../base/protocol/ask.js';

/** What a session id says of the client that it was made for. */
export interface SessionClaim {
  /** The key of the authenticated client and user, where authentication is required. */
  readonly client: string | undefined;
  /** What it has declared that it can be asked. */
  readonly abilities: AskAbilities;
  /** Whether it has asked for answers as structured content too. */
  readonly structured: boolean;
}

/**
 * Makes session ids that a later process recognises as made here, for a given client. Clients of the MCP SDKs up to 1.x do
 * not send `initialize` again when their session is unknown, so without this a restart would end every one of them.
 */
export interface SessionIds {
  create(claim: SessionClaim): string;
  /**
   * The claim of an id that an earlier process, or another one with the same key, made for this client; undefined for any
   * other text, and for ids that this process made: those are known, or their session has ended.
   */
  readEarlier(id: string, client: string | undefined): SessionClaim | undefined;
  /** The claim of an id that any replica made for this authenticated client, this process included; undefined for any other text. */
  readShared(id: string, client: string): SessionClaim | undefined;
}

const KEY_BYTES = 32;

/**
 * `PROCESS-RANDOM-SIGNATURE`. It begins with what the client can be asked: `a`, or `s` where it wants structured content, and a digit. In
 * ids of earlier versions it begins with whether the client shows forms.
 */
const FORM = /^((?:[en]|[as][0-9a-v])[0-9a-f]{8})-([0-9a-f]{32})-([0-9a-f]{32})$/;

/** By the bits of the digit, the lowest first; never reordered, as clients keep the ids. */
const BITS = ['form', 'url', 'sampling', 'samplingTools', 'roots'] as const satisfies readonly (keyof AskAbilities)[];

function writeDigit(abilities: AskAbilities): string {
  const bits = BITS.reduce((sum, ability, bit) => sum + (abilities[ability] ? 2 ** bit : 0), 0);
  return bits.toString(32);
}

function readHead(head: string): AskAbilities {
  if (/^[en]/.test(head)) return { ...NO_ABILITIES, form: head.startsWith('e') };
  const bits = Number.parseInt(head.slice(1, 2), 32);
  const has = (ability: keyof AskAbilities): boolean => Math.floor(bits / 2 ** BITS.indexOf(ability)) % 2 === 1;
  return {
    form: has('form'),
    url: has('url'),
    sampling: has('sampling'),
    samplingTools: has('samplingTools'),
    roots: has('roots'),
  };
}

/**
 * @param secret the key of the signature
 * @param view of which the sessions are: an id of one is unknown in any other
 * @param shared the key of authenticated clients' ids in every replica, where there are some and it is known
 */
export function createSessionIds(
  secret: Buffer,
  view?: string,
  shared: () => Buffer | undefined = () => undefined,
): SessionIds {
  const ownKey = keyOfView(secret, view);
  const sharedKey = (): Buffer | undefined => {
    const key = shared();
    return key && keyOfView(key, view);
  };
  const own = randomBytes(4).toString('hex');
  const read = (id: string, client: string | undefined, key: Buffer | undefined): SessionClaim | undefined => {
    const [, head = '', random = '', signature = ''] = FORM.exec(id) ?? [];
    if (head === '' || key === undefined) return undefined;
    const isGenuine = timingSafeEqual(Buffer.from(signature), Buffer.from(sign(key, [head, random, client])));
    return isGenuine ? { client, abilities: readHead(head), structured: head.startsWith('s') } : undefined;
  };
  return {
    create({ client, abilities, structured }) {
      const head = `${structured ? 's' : 'a'}${writeDigit(abilities)}${own}`;
      const random = randomBytes(16).toString('hex');
      const key = client === undefined ? ownKey : (sharedKey() ?? ownKey);
      return `${head}-${random}-${sign(key, [head, random, client])}`;
    },
    readEarlier(id, client) {
      return FORM.exec(id)?.[1]?.endsWith(own) === true ? undefined : read(id, client, ownKey);
    },
    readShared: (id, client) => read(id, client, sharedKey()),
  };
}

function keyOfView(secret: Buffer, view: string | undefined): Buffer {
  return view === undefined ? secret : createHmac('sha256', secret).update(`view ${view}`).digest();
}

function sign(key: Buffer, [head, random, client]: readonly [string, string, string | undefined]): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([head, random, client ?? null]))
    .digest('hex')
    .slice(0, 32);
}

const KEY_FILE = 'session.key';

/**
 * Reads the key of session ids from the data directory, and makes it there at the first start. Where it cannot be kept, one
 * of this process alone serves: sessions then end with it.
 */
export function readSessionKey(dataDir: string, observe: Observer): Buffer {
  const file = join(dataDir, KEY_FILE);
  const made = randomBytes(KEY_BYTES);
  try {
    // Only the first of several processes creates it.
    writeFileSync(file, made.toString('hex'), { flag: 'wx', mode: 0o600 });
    return made;
  } catch {
    return readKey(file) ?? reportLost(made, observe);
  }
}

function readKey(file: string): Buffer | undefined {
  try {
    const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
    return key.length === KEY_BYTES ? key : undefined;
  } catch {
    // Missing or not readable: the caller reports it.
    return undefined;
  }
}

function reportLost(made: Buffer, observe: Observer): Buffer {
  const message = `'${KEY_FILE}' cannot be kept in the data directory: sessions of this gateway end when it stops.`;
  observe({ kind: 'notice', level: 'warn', message });
  return made;
}
