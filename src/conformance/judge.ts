import { BEHAVIOUR_CLAUSES } from './behaviour-clauses.js';
import type { Clause, Finding } from './clause.js';
import type { EvidenceBundle, Observations } from './evidence.js';
import { INTROSPECTION_CLAUSES } from './introspection-clauses.js';

/** What a gateway may say of itself in `_protocol.conformance`. */
type ConformanceLevel = 'none' | 'level-1' | 'level-2';

/** A clause with what was found. `SKIP` is what cannot be judged or does not apply; the note says which. */
export interface JudgedClause {
  readonly id: string;
  readonly level: Clause['level'];
  readonly strength: Clause['strength'];
  readonly section: string;
  readonly demand: string;
  readonly verdict: 'PASS' | 'WARN' | 'FAIL' | 'SKIP';
  readonly cases: number;
  readonly faults: readonly string[];
  readonly note?: string;
}

export interface Judgement {
  readonly level: ConformanceLevel;
  readonly clauses: readonly JudgedClause[];
  readonly counts: Readonly<Record<JudgedClause['verdict'], number>>;
  /** What was left out of the evidence, with the reason. */
  readonly notProbed: readonly string[];
}

export const CLAUSES: readonly Clause[] = [...INTROSPECTION_CLAUSES, ...BEHAVIOUR_CLAUSES];

/** Judges every clause by what was seen. A level is met when none of its MUSTs fails, nor one of the levels below. */
export function judge(seen: Observations): Judgement {
  const clauses = CLAUSES.map((clause) => judgeClause(clause, seen));
  const isMet = (level: Clause['level']): boolean =>
    clauses.every((clause) => clause.level > level || clause.strength === 'SHOULD' || clause.verdict !== 'FAIL');
  const count = (verdict: JudgedClause['verdict']): number =>
    clauses.filter((clause) => clause.verdict === verdict).length;
  return {
    level: isMet(2) ? 'level-2' : isMet(1) ? 'level-1' : 'none',
    clauses,
    counts: { PASS: count('PASS'), WARN: count('WARN'), FAIL: count('FAIL'), SKIP: count('SKIP') },
    notProbed: seen.notProbed,
  };
}

function judgeClause({ judge: judgeSeen, ...clause }: Clause, seen: Observations): JudgedClause {
  const finding = judgeSeen(seen);
  if (typeof finding === 'string') return { ...clause, verdict: 'SKIP', cases: 0, faults: [], note: finding };
  const { cases, faults, note } = finding;
  const verdict = verdictOf(finding, clause.strength);
  const words = cases === 0 && faults.length === 0 ? 'no case was found, which counts as failed' : note;
  return { ...clause, verdict, cases, faults, ...(words !== undefined && { note: words }) };
}

function verdictOf({ cases, faults }: Finding, strength: Clause['strength']): JudgedClause['verdict'] {
  if (cases === 0) return 'FAIL';
  if (faults.length === 0) return 'PASS';
  return strength === 'MUST' ? 'FAIL' : 'WARN';
}

/** Whether what is met is what was asked for. */
export function reaches({ level }: Judgement, asked: 1 | 2): boolean {
  return level === 'level-2' || (level === 'level-1' && asked === 1);
}

/** The bundle, with the exit code that the published runner should end with. */
export function finishBundle({ bundle }: Observations, judgement: Judgement): EvidenceBundle {
  return { ...bundle, expected_exit_code: reaches(judgement, bundle.expected_level) ? 0 : 1 };
}
