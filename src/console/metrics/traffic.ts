import type { Server, Socket } from 'node:net';
import type { ServerFigures } from '../../base/observe/metrics/figures.js';

/** Counts the bytes of a server's connections: when one closes, and of the open ones when asked. */
export class Traffic {
  readonly #open = new Set<Socket>();
  #received = 0;
  #sent = 0;

  /** Begins to count. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket);
      socket.once('close', () => {
        this.#open.delete(socket);
        this.#received += socket.bytesRead;
        this.#sent += socket.bytesWritten;
      });
    });
  }

  figures(): Pick<ServerFigures, 'receivedBytes' | 'sentBytes'> {
    let [receivedBytes, sentBytes] = [this.#received, this.#sent];
    for (const { bytesRead, bytesWritten } of this.#open) {
      receivedBytes += bytesRead;
      sentBytes += bytesWritten;
    }
    return { receivedBytes, sentBytes };
  }
}
