import type { JudgedClause, Judgement } from './judge.js';

/** Faults of one clause that are shown; the evidence holds all of them. */
const SHOWN_FAULTS = 5;

/** What is said of one clause: its note, and the first of its faults. */
function describeFaults({ faults, note }: JudgedClause): readonly string[] {
  const more = faults.length - SHOWN_FAULTS;
  return [
    ...(note === undefined ? [] : [note]),
    ...faults.slice(0, SHOWN_FAULTS),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

/** A line for each clause, with its faults below it, and the result. */
export function renderReport(judgement: Judgement): readonly string[] {
  const { level, clauses, counts, notProbed } = judgement;
  const lines = clauses.flatMap((clause) => [
    `${clause.verdict} level ${clause.level} ${clause.strength.padEnd(6)} ${clause.id}: ${clause.demand} (${countCases(clause)})`,
    ...describeFaults(clause).map((fault) => `       ${fault}`),
  ]);
  const summary = `${counts.PASS} passed, ${counts.WARN} warned, ${counts.FAIL} failed, ${counts.SKIP} not judged`;
  return [...lines, ...notProbed.map((reason) => `not probed: ${reason}`), `${summary}. Conformance: ${level}`];
}

function countCases({ cases, faults }: JudgedClause): string {
  return faults.length === 0 ? `${cases} cases` : `${faults.length} of ${cases} cases`;
}
