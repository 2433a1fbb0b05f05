/**
 * The bounds of the structure that only a decision moves. They stand in its record, so that whoever raises one says there why.
 */
import { readFileSync } from 'node:fs';

const DECISION = new URL('../docs/adr/0077-the-gate-bounds-what-owners-feel.md', import.meta.url);

/** A way may take so many more files than the decision says, before that has to say why. */
const SLACK = 1.1;

/** The rows of the decision's tables: what is bounded, and its number. */
export function readBounds() {
  const rows = readFileSync(DECISION, 'utf8').matchAll(/^\| (?<what>[^|]+?) \| (?<bound>[\d,]+) \|/gm);
  return new Map([...rows].map(({ groups }) => [groups.what, Number(groups.bound.replaceAll(',', ''))]));
}

/** @throws where the decision does not name it */
export function boundOf(bounds, what) {
  const bound = bounds.get(what);
  if (bound === undefined) throw new Error(`No row '${what}' in ${DECISION.pathname}`);
  return bound;
}

export function allowedFiles(bounds, way) {
  return Math.floor(boundOf(bounds, way) * SLACK);
}
