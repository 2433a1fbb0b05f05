import { CONFIG_DEFAULTS } from './config-defaults.js';
import type { GatewayDocument } from './config-document.js';
import type { Notes } from './config-report.js';
import type { GatewayConfig } from './gateway-config.js';

type ServerConfig = GatewayConfig['server'];

/** Where the gateway listens, with host names as a URL would spell them. */
export function buildServer(entry: GatewayDocument['server'], notes: Notes): ServerConfig {
  const merged: ServerConfig = { ...CONFIG_DEFAULTS.server, ...entry };
  return {
    ...merged,
    allowedHosts: readHostNames(merged.allowedHosts, 'allowedHosts', notes),
    allowedOrigins: readHostNames(merged.allowedOrigins, 'allowedOrigins', notes),
  };
}

function readHostNames(texts: readonly string[], key: string, notes: Notes): readonly string[] {
  return texts.flatMap((text, index) => {
    const name = readHostName(text);
    if (name !== undefined) return [name];
    // The path of the list: one variable may hold all of it, and is then what the problem names.
    notes.problem(
      ['server', key],
      `expected host names without wildcards; number ${index + 1} is none`,
      'write each as example.org',
    );
    return [];
  });
}

/** The host name of a name, a name with a port, or an origin; undefined where there is none. */
function readHostName(text: string): string | undefined {
  const address = text.includes('://') ? text : `http://${text}`;
  if (text.includes('*') || !URL.canParse(address)) return undefined;
  return new URL(address).hostname || undefined;
}
