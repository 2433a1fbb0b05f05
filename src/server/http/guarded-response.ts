import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Observer } from '../../base/observe/observation.js';

/**
 * What every HTTP server here answers with, whoever writes it: once it has ended, or its client has gone, nothing is written any more.
 * A timer, a reload or another request may end a response that somebody still has something to say on; Node makes an error of that,
 * which would end the process. docs/adr/0068-a-response-ends-once.md
 * @param Base what it is made of
 */
export function guardResponses(observe: Observer, Base: typeof ServerResponse = ServerResponse): typeof ServerResponse {
  return class<R extends IncomingMessage> extends Base<R> {
    constructor(...given: ConstructorParameters<typeof ServerResponse<R>>) {
      super(...given);
      this.on('error', (cause) => {
        observe({ kind: 'defect', where: 'writing a response', cause });
        this.destroy();
      });
    }

    override writeHead(status: number, ...headers: readonly unknown[]): this {
      return isOver(this) ? this : super.writeHead(status, ...(headers as []));
    }

    override write(chunk: unknown, ...more: readonly unknown[]): boolean {
      return !isOver(this) && super.write(chunk, ...(more as []));
    }

    override end(...last: readonly unknown[]): this {
      return isOver(this) ? this : super.end(...(last as []));
    }
  };
}

function isOver({ writableEnded, destroyed }: ServerResponse): boolean {
  return writableEnded || destroyed;
}
