import { createHash } from 'node:crypto';
import type { RedisConnection } from './redis-connection.js';
import { REDIS_SCRIPTS, type RedisScriptName } from './redis-scripts.js';
import type { SharedSpace, SpaceBounds } from './shared-space.js';

interface RedisSpaceOptions {
  readonly connection: RedisConnection;
  /** What its keys begin with, without braces. */
  readonly prefix: string;
  readonly bounds: SpaceBounds;
  readonly now: () => number;
}

/**
 * A space on Redis. Names and owners are kept as digests: who reads the server learns neither who uses the gateway nor what to
 * send it. Its keys have a slot of their own, so that a cluster can keep them on another server than the records.
 */
export class RedisSpace implements SharedSpace {
  readonly #connection: RedisConnection;
  readonly #prefix: string;
  readonly #bounds: SpaceBounds;
  readonly #now: () => number;

  constructor({ connection, prefix, bounds, now }: RedisSpaceOptions) {
    this.#connection = connection;
    this.#prefix = `{${prefix}}`;
    this.#bounds = bounds;
    this.#now = now;
  }

  async put(
    name: string,
    bytes: Buffer,
    { owner, expiresAt }: { readonly owner: string; readonly expiresAt: number },
  ): Promise<boolean> {
    const { maxBytes, maxBytesPerOwner } = this.#bounds;
    const limits = [String(maxBytes), String(maxBytesPerOwner)];
    return (await this.#run('spacePut', name, [digestOf(owner), String(expiresAt), ...limits, bytes])) === 1;
  }

  async get(name: string): Promise<Buffer | undefined> {
    const found = await this.#run('spaceGet', name, []);
    return Buffer.isBuffer(found) ? found : undefined;
  }

  async renew(name: string, expiresAt: number): Promise<void> {
    await this.#run('spaceRenew', name, [String(expiresAt)]);
  }

  async remove(name: string): Promise<void> {
    await this.#run('spaceRemove', name, []);
  }

  #run(script: RedisScriptName, name: string, args: readonly (string | Buffer)[]): Promise<unknown> {
    const digest = digestOf(name);
    const entries = `${this.#prefix}:entry:`;
    return this.#connection.run(REDIS_SCRIPTS[script], {
      keys: [`${entries}${digest}`, `${this.#prefix}:index`, `${this.#prefix}:bytes`],
      args: [String(this.#now()), entries, digest, ...args],
      asBytes: true,
    });
  }
}

/** Without blanks, which separate the parts of a member in the index. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
