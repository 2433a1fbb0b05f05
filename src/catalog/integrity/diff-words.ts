/** More word pairs are not compared one by one: what lies between the common beginning and end is then one change. */
const MAX_PAIRS = 1_000_000;

/** Equal words shown on both sides of a change. */
const CONTEXT = 4;

/** Changes with at most so many equal words between them are told as one. */
const NEAR = 2;

/** A stretch of words that was replaced; either side may be empty. Positions count words. */
interface Change {
  readonly from: number;
  readonly until: number;
  readonly newFrom: number;
  readonly newUntil: number;
}

/**
 * What changed between two texts, word by word: `... the issue [-title-] {+title and all its comments+} to ...`. One
 * excerpt for each place, in order; none where the words are the same.
 */
export function diffWords(before: string, after: string): readonly string[] {
  const [old, now] = [splitWords(before), splitWords(after)];
  return joinNear(findChanges(old, now)).map((change) => renderChange(change, old, now));
}

function splitWords(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function findChanges(old: readonly string[], now: readonly string[]): readonly Change[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  const shorter = Math.min(old.length, now.length) - start;
  while (end < shorter && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  const rest: Change = { from: start, until: old.length - end, newFrom: start, newUntil: now.length - end };
  const pairs = (rest.until - rest.from) * (rest.newUntil - rest.newFrom);
  if (rest.from === rest.until && rest.newFrom === rest.newUntil) return [];
  return pairs === 0 || pairs > MAX_PAIRS ? [rest] : alignWords(rest, old, now);
}

/** The longest common subsequence, by the usual table; what is not part of it changed. */
function alignWords(
  { from, until, newFrom, newUntil }: Change,
  old: readonly string[],
  now: readonly string[],
): Change[] {
  const [rows, columns] = [until - from, newUntil - newFrom];
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        old[from + row] === now[newFrom + column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const changes: Change[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    const [oldStart, newStart] = [row, column];
    while (row < rows || column < columns) {
      if (row < rows && column < columns && old[from + row] === now[newFrom + column]) break;
      if (column >= columns || (row < rows && at(row + 1, column) >= at(row, column + 1))) row += 1;
      else column += 1;
    }
    if (row > oldStart || column > newStart) {
      changes.push({
        from: from + oldStart,
        until: from + row,
        newFrom: newFrom + newStart,
        newUntil: newFrom + column,
      });
    }
    while (row < rows && column < columns && old[from + row] === now[newFrom + column]) {
      row += 1;
      column += 1;
    }
  }
  return changes;
}

function joinNear(changes: readonly Change[]): readonly Change[] {
  const joined: Change[] = [];
  for (const change of changes) {
    const last = joined.at(-1);
    const isNear = last !== undefined && change.from - last.until <= NEAR;
    if (isNear) joined.pop();
    joined.push(isNear ? { ...change, from: last.from, newFrom: last.newFrom } : change);
  }
  return joined;
}

function renderChange(
  { from, until, newFrom, newUntil }: Change,
  old: readonly string[],
  now: readonly string[],
): string {
  const start = Math.max(0, from - CONTEXT);
  const end = Math.min(old.length, until + CONTEXT);
  const removed = old.slice(from, until).join(' ');
  const added = now.slice(newFrom, newUntil).join(' ');
  return [
    start > 0 ? '...' : '',
    ...old.slice(start, from),
    removed === '' ? '' : `[-${removed}-]`,
    added === '' ? '' : `{+${added}+}`,
    ...old.slice(until, end),
    end < old.length ? '...' : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}
