import { resolve } from 'node:path';
import type { JsonPath } from '../lib/json-path.js';
import type { ServerEntry } from './config-document.js';
import type { OutboundTls } from './connection-config.js';
import type { Diagnostics } from './diagnostics.js';
import type { HttpEndpoint } from './gateway-config.js';

/** The settings of the way to servers over HTTP, of one of them or of all. */
export type OutboundEntry = Pick<ServerEntry, 'proxy' | 'tls'>;

interface OutboundContext {
  /** Where relative paths start. */
  readonly directory: string;
  readonly path: JsonPath;
  readonly diagnostics: Diagnostics;
}

/** Builds the way to a server over HTTP from its own settings and those of all. What is wrong goes into the diagnostics. */
export function buildOutbound(
  { proxy = 'none', tls }: OutboundEntry,
  { directory, path, diagnostics }: OutboundContext,
): Pick<HttpEndpoint, 'proxy' | 'tls'> {
  if (!isProxy(proxy)) {
    diagnostics.problem([...path, 'proxy'], "expected an http:// or https:// address, 'environment' or 'none'");
  }
  if ((tls?.cert === undefined) !== (tls?.key === undefined)) {
    diagnostics.problem([...path, 'tls'], "expected both 'cert' and 'key', or neither");
  }
  if (tls?.acceptAnyCertificate === true) {
    const risk = 'who is on the way to the server can read and change everything that is sent';
    diagnostics.warning([...path, 'tls', 'acceptAnyCertificate'], `its certificate is NOT CHECKED: ${risk}`);
  }
  return {
    ...(proxy === 'none' ? {} : { proxy }),
    ...(tls === undefined ? {} : { tls: resolveFiles(tls, directory) }),
  };
}

function isProxy(proxy: string): boolean {
  if (proxy === 'environment' || proxy === 'none') return true;
  return URL.canParse(proxy) && /^https?:$/.test(new URL(proxy).protocol);
}

function resolveFiles({ ca, cert, key, ...rest }: OutboundTls, directory: string): OutboundTls {
  return {
    ...rest,
    ...(ca === undefined ? {} : { ca: resolve(directory, ca) }),
    ...(cert === undefined ? {} : { cert: resolve(directory, cert) }),
    ...(key === undefined ? {} : { key: resolve(directory, key) }),
  };
}
