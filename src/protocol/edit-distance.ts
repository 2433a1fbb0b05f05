/** Insertions, deletions, substitutions and swaps of neighbours that make one text the other (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      let cost = Math.min(cell(last, column) + 1, cell(current, column - 1) + 1, cell(last, column - 1) + change);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, cell(beforeLast, column - 2) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return cell(last, b.length);
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? 0;
}
