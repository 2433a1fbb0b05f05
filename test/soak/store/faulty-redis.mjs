import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { freePort } from '../rolling/replica.mjs';

/** A Redis with its data on disk that can be killed, emptied, stopped and started again on its port. */
export class FaultyRedis {
  #directory;
  #port;
  #process;

  /** @param directory for its data; it is made */
  static async start(directory) {
    const redis = new FaultyRedis();
    redis.#directory = directory;
    redis.#port = await freePort();
    await mkdir(directory);
    process.once('exit', () => redis.#process?.kill('SIGKILL'));
    await redis.start();
    return redis;
  }

  get url() {
    return `redis://127.0.0.1:${this.#port}`;
  }

  async start() {
    const place = ['--port', `${this.#port}`, '--bind', '127.0.0.1', '--dir', this.#directory];
    const keeping = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'];
    this.#process = spawn('redis-server', [...place, ...keeping], { stdio: ['ignore', 'pipe', 'ignore'] });
    const { stdout } = this.#process;
    await new Promise((resolve, reject) => {
      this.#process.once('error', reject);
      stdout.on('data', (chunk) => `${chunk}`.includes('Ready to accept') && resolve());
    });
  }

  async kill() {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }

  /** Removes what a killed one has kept. */
  async empty() {
    await rm(this.#directory, { recursive: true });
    await mkdir(this.#directory);
  }

  stop() {
    this.#process.kill('SIGSTOP');
  }

  goOn() {
    this.#process.kill('SIGCONT');
  }
}
