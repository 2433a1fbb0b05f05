import { buildCatalog, type CatalogInput } from '../build-catalog.js';
import type { Catalog } from '../catalog.js';
import { type GuardInput, guardTools } from './guard-tools.js';
import { inspectTools } from './inspect-tools.js';
import { withholdOperations } from './withhold-operations.js';

/** The catalog of what may be offered, with findings on what is not what was accepted and on what looks hostile. */
export function buildGuardedCatalog(input: CatalogInput & GuardInput): Catalog {
  const guarded = guardTools(input);
  const catalog = withholdOperations(buildCatalog({ ...input, toolSets: guarded.toolSets }), guarded.withheld);
  const findings = [...catalog.findings, ...guarded.findings, ...inspectTools(input.toolSets)];
  return { ...catalog, findings };
}
