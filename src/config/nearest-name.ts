import { editDistance } from '../protocol/edit-distance.js';

/**
 * The candidate that was most likely meant, or undefined when none is near. Case and separators do not count
 * (`mcp_servers` is `mcpServers`); beyond that one edit in three characters is a slip, more is another word.
 */
export function findNearestName(name: string, candidates: Iterable<string>): string | undefined {
  const plain = plainName(name);
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(plain, plainName(candidate));
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  if (best === undefined) return undefined;
  const allowed = Math.floor(Math.max(plain.length, plainName(best.candidate).length) / 3);
  return best.distance <= allowed ? best.candidate : undefined;
}

/** "did you mean 'x'?", or undefined when nothing is near. */
export function suggestName(name: string, candidates: Iterable<string>): string | undefined {
  const nearest = findNearestName(name, candidates);
  return nearest === undefined ? undefined : `did you mean '${nearest}'?`;
}

function plainName(name: string): string {
  return name.replace(/[\s_.-]+/g, '').toLowerCase();
}
