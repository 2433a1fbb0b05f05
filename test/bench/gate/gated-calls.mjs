import { readerNames } from '../server/catalogue.mjs';

/** Large enough that looking an operation up is not free. */
export const CATALOGUE_SIZE = 1000;
const CALLED = 16;

/** 64 bytes that look like what rules are about. */
const TEXT = 'reports/2026/north/quarterly-summary-of-open-invoices.md'.padEnd(64, '.');

/** READ calls of several operations, which every gate lets through. */
export const READS = readerNames(CATALOGUE_SIZE, CALLED).map((operation) => request('read', operation, TEXT));

/** What some gates refuse, by the names that `GATES` uses. */
export const PROBES = {
  create: request('create', 'create_order_2', TEXT),
  secret: request('read', READS[0].operation, 'reports/secrets/2026.md'),
};

function request(family, operation, text) {
  return { tool: `mcp_aql_${family}`, operation, params: { text } };
}
