import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { JsonObject } from '../../../src/base/json/json.js';
import { REPOSITORY } from '../served-gateway.js';
import type { Link, ServerMind } from './server-mind.js';

const RELAY = join(REPOSITORY, 'test/fixtures/servers/pipe-relay.mjs');

interface Process {
  readonly pid: number;
  readonly socket: Socket;
  isDeaf: boolean;
}

/** Where a server of the world is reached over stdio: each of its lives is a process, whose pipes lead here. */
export class StdioDoor {
  readonly kind = 'stdio';
  readonly #mind: ServerMind;
  readonly #processes = new Set<Process>();
  #server: Server | undefined;
  #port = 0;
  #isOpen = false;

  constructor(mind: ServerMind) {
    this.#mind = mind;
  }

  get entry(): JsonObject {
    return { command: process.execPath, args: [RELAY, String(this.#port), this.#mind.name] };
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async reserve(): Promise<void> {
    const server = createServer((socket) => this.#take(socket));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  async open(): Promise<void> {
    this.#isOpen = true;
  }

  /** Its process dies, and each new one at once. */
  async shut(): Promise<void> {
    this.#isOpen = false;
    this.cut();
  }

  cut(): void {
    for (const { pid, socket } of this.#processes) {
      // The gateway may have ended it in this moment.
      try {
        process.kill(pid, 'SIGKILL');
      } catch {}
      socket.destroy();
    }
    this.#processes.clear();
  }

  /** The process that runs is never heard of again. */
  deafen(): void {
    for (const each of this.#processes) each.isDeaf = true;
  }

  async end(): Promise<void> {
    await this.shut();
    const server = this.#server;
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  #take(socket: Socket): void {
    socket.on('error', () => undefined);
    if (!this.#isOpen) return void socket.destroy();
    let own: Process | undefined;
    const link: Link = {
      watched: new Set(),
      send: (message) => void (own?.isDeaf === false && socket.write(`${JSON.stringify(message)}\n`)),
    };
    socket.once('close', () => {
      this.#mind.leave(link);
      if (own !== undefined) this.#processes.delete(own);
    });
    const lines = createInterface({ input: socket });
    // A process that is killed resets its connection, and `readline` says so again, as an error of its own.
    lines.on('error', () => undefined);
    lines.on('line', (line) => {
      if (own === undefined) {
        own = { pid: Number(line.split(' ')[1]), socket, isDeaf: false };
        this.#processes.add(own);
        this.#mind.open(link);
      } else if (!own.isDeaf) {
        this.#mind.receive(JSON.parse(line), { link, end: link.send, send: link.send });
      }
    });
  }
}
