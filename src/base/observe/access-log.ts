import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { destination, pino } from 'pino';
import { makeFolder } from '../lib/make-folder.js';
import type { Observer } from './observation.js';

/** One line of JSON for each request. */
interface AccessLog {
  write(entry: object): void;
  /** Writes what is still buffered. */
  close(): void;
}

type Target = 'stdout' | 'stderr' | { readonly file: string };

const STREAMS = { stdout: 1, stderr: 2 } as const;

/**
 * Writing is buffered, so that no request waits for its line. A file is opened anew at SIGHUP: what rotates files renames it first. A log
 * that cannot be written any more is reported once, and its lines are lost meanwhile.
 * @throws Error with a readable message where the file cannot be opened
 */
export function openAccessLog(target: Target, observe: Observer): AccessLog {
  const dest = typeof target === 'string' ? STREAMS[target] : requireWritable(target.file);
  const sink = destination({ dest, sync: false, mode: 0o600 });
  let isReported = false;
  sink.on('error', ({ message }: Error) => {
    if (!isReported)
      observe({ kind: 'notice', level: 'error', message: `The access log cannot be written: ${message}.` });
    isReported = true;
  });
  const reopen = (): void => {
    isReported = false;
    if (typeof target !== 'string') sink.reopen();
  };
  process.on('SIGHUP', reopen);
  const log = pino({ base: null }, sink);
  return {
    write: (entry) => log.info(entry),
    close() {
      process.off('SIGHUP', reopen);
      try {
        sink.flushSync();
      } catch {
        // It ends before it has opened: nothing has been written.
      }
    },
  };
}

/** Makes the file where there is none: it opens later, and a fault would then end nothing. */
function requireWritable(file: string): string {
  try {
    makeFolder(dirname(file));
    closeSync(openSync(file, 'a', 0o600));
    return file;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The access log cannot be opened: ${why}. Choose another file with log.access.`, { cause });
  }
}
