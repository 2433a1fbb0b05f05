import { destination, pino } from 'pino';
import type { Observer } from './observation.js';

/** One line of JSON for each request. */
export interface AccessLog {
  write(entry: object): void;
  /** Writes what is still buffered. */
  close(): void;
}

const STREAMS = { stdout: 1, stderr: 2 } as const;

/**
 * Writing is buffered, so that no request waits for its line. A file is opened anew at SIGHUP: what rotates files renames it first. A log
 * that cannot be written is reported once, and its lines are lost meanwhile.
 */
export function openAccessLog(target: 'stdout' | 'stderr' | { readonly file: string }, observe: Observer): AccessLog {
  const dest = typeof target === 'string' ? STREAMS[target] : target.file;
  const sink = destination({ dest, sync: false, mkdir: true, mode: 0o600 });
  let isReported = false;
  sink.on('error', ({ message }: Error) => {
    if (!isReported)
      observe({ kind: 'notice', level: 'error', message: `The access log cannot be written: ${message}.` });
    isReported = true;
  });
  const reopen = (): void => {
    isReported = false;
    sink.reopen();
  };
  if (typeof target !== 'string') process.on('SIGHUP', reopen);
  const log = pino({ base: null }, sink);
  return {
    write: (entry) => log.info(entry),
    close() {
      process.off('SIGHUP', reopen);
      try {
        sink.flushSync();
      } catch {
        // It was never opened, which has been reported.
      }
    },
  };
}
