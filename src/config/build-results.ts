import { CONFIG_DEFAULTS } from './config-defaults.js';
import type { GatewayDocument } from './config-document.js';
import type { Notes } from './config-report.js';
import type { GatewayConfig } from './gateway-config.js';

/** Less would not hold one item of what servers answer. */
const LEAST_BYTES = 10_000;

/** What becomes of big answers. What is wrong goes into the notes. */
export function buildResults(entry: GatewayDocument['results'], notes: Notes): GatewayConfig['results'] {
  const results = { ...CONFIG_DEFAULTS.results, ...entry };
  const { maxBytes } = results;
  if (maxBytes > 0 && maxBytes < LEAST_BYTES) {
    notes.problem(['results', 'maxBytes'], `expected 0 or at least ${LEAST_BYTES}, got ${maxBytes}`);
  }
  return results;
}
