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

/** Optimal string alignment: insertions, deletions, substitutions and swapped neighbours, each costing one. */
function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          cell(last, column) + 1,
          cell(current, column - 1) + 1,
          cell(last, column - 1) + change,
          swapped ? cell(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return cell(last, b.length);
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
