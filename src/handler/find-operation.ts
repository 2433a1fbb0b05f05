import type { Catalog } from '../catalog/catalog.js';
import { type Operation, QUALIFIER } from '../protocol/operation.js';

/**
 * An upstream's operation by the name that a curation gives it: qualified, within the upstream, or its tool's own. Undefined
 * where there is none, and where a tool's name means several parts of it.
 */
export function findOperation({ find, operations }: Catalog, upstream: string, name: string): Operation | undefined {
  const named = [find(name), find(`${upstream}${QUALIFIER}${name}`)].find((found) => found?.upstream === upstream);
  if (named !== undefined) return named;
  const ofTool = operations.filter((operation) => operation.upstream === upstream && operation.tool === name);
  return ofTool.length === 1 ? ofTool[0] : undefined;
}
