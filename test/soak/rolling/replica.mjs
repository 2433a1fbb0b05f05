import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const MAIN = new URL('../../../dist/cli/main.js', import.meta.url).pathname;
const LOOK_MS = 50;
const LAST_WORDS = 2_000;

const children = new Set();

/** Starts a process that ends with this one at the latest, however this one ends. */
function spawnChild(command, args, options) {
  const child = spawn(command, args, options);
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

// A fault that nothing catches ends the process through 'exit'; a signal alone would not.
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** A Redis server without a disk. */
export async function startRedis(directory) {
  const port = await freePort();
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory, '--save', ''];
  const redis = spawnChild('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const chunk of redis.stdout) if (`${chunk}`.includes('Ready to accept')) break;
  return { redis, url: `redis://127.0.0.1:${port}` };
}

/** A gateway that can be started again on its port. */
export class Replica {
  #file;
  #child;

  static async create(config, directory, name) {
    const replica = new Replica();
    replica.port = await freePort();
    replica.#file = join(directory, `${name}.json`);
    await writeFile(replica.#file, JSON.stringify({ ...config, dataDir: join(directory, name) }));
    return replica;
  }

  async start() {
    const args = [MAIN, '--config', this.#file, 'serve', '--host', '127.0.0.1', '--port', `${this.port}`];
    this.#child = spawnChild(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let words = '';
    this.#child.stderr.on('data', (chunk) => {
      words = (words + chunk).slice(-LAST_WORDS);
    });
    while (!(await this.isReady())) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`the gateway ended: ${words}`);
      await delay(LOOK_MS);
    }
  }

  async restart() {
    await this.end();
    await this.start();
  }

  async end() {
    if (this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }

  async isReady() {
    const answer = await fetch(`http://127.0.0.1:${this.port}/readyz`).catch(() => undefined);
    await answer?.arrayBuffer();
    return answer?.status === 200;
  }
}
