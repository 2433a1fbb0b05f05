import type { Gateway } from '../gateway.js';
import { paintFor, type Terminal } from './terminal.js';

const REFRESH_MS = 120;

/** Shows on a terminal how many upstreams are connected while they start; silent elsewhere. */
export function watchUpstreams(gateway: Gateway, terminal: Terminal): { end(): void } {
  const { err } = terminal;
  if (err.isTTY !== true) return { end: () => undefined };
  const paint = paintFor(err);
  const draw = (): void => {
    const upstreams = gateway.status().upstreams.filter(({ state }) => state !== 'disabled');
    const waiting = upstreams.filter(({ state }) => state !== 'ready').map(({ name }) => name);
    const done = upstreams.length - waiting.length;
    err.write(`\r\u001B[K${paint.dim(`connecting ${done}/${upstreams.length} ${waiting.slice(0, 4).join(', ')}`)}`);
  };
  const timer = setInterval(draw, REFRESH_MS);
  timer.unref();
  draw();
  let ended = false;
  return {
    end() {
      if (ended) return;
      ended = true;
      clearInterval(timer);
      err.write('\r\u001B[K');
    },
  };
}
