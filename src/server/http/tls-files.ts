import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Observer } from '../../base/observe/observation.js';
import type { TlsConfig } from '../../config/access-config.js';

/** How often the files are looked at: certificates are renewed weeks before they end. */
const LOOK_MS = 10_000;

/** The certificate and its key, as they are in their files. */
interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Reads both files and proves that they belong together. @throws Error with what is wrong, for the operator */
export function readKeyPair({ cert, key }: TlsConfig): KeyPair {
  const pair = { cert: readPart(cert, 'cert'), key: readPart(key, 'key') };
  try {
    createSecureContext(pair);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason';
    throw new Error(`server.tls: '${cert}' and '${key}' are no certificate with its key (${reason}).`, { cause });
  }
  return pair;
}

function readPart(file: string, setting: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    throw new Error(`server.tls.${setting}: the file '${file}' cannot be read (${code}).`, { cause });
  }
}

/**
 * Gives a server the certificate again whenever its files change; connections that are open keep theirs. Files that do not belong
 * together, as while one of them is written, change nothing.
 * @returns what ends the watch
 */
export function keepCurrent(server: Server, tls: TlsConfig, observe: Observer, lookMs = LOOK_MS): () => void {
  const reload = (): void => {
    try {
      server.setSecureContext(readKeyPair(tls));
      observe({ kind: 'notice', level: 'info', message: 'The TLS certificate was read again.' });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : 'unknown reason';
      observe({ kind: 'notice', level: 'warn', message: `${reason} The earlier certificate stays in use.` });
    }
  };
  // Files of Kubernetes and certbot are links that are exchanged: looking at them sees that, watching a folder may not.
  const files = [tls.cert, tls.key];
  for (const file of files) watchFile(file, { interval: lookMs, persistent: false }, reload);
  return () => {
    for (const file of files) unwatchFile(file, reload);
  };
}
