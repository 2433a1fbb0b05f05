import type { EvidenceBundle, Observations } from './evidence.js';
import { addMode, gatherEvidence } from './gather-evidence.js';
import { finishBundle, type Judgement, judge } from './judge.js';
import { connectProbe } from './probe.js';
import type { RoundTripPlan } from './round-trip-plans.js';

export type { EvidenceBundle } from './evidence.js';
export { type ConformanceLevel, type Judgement, reaches } from './judge.js';
export { renderClauseTable, renderReport } from './report.js';
export { parsePlans, type RoundTripPlan } from './round-trip-plans.js';

export interface ConformanceOptions {
  readonly level: 1 | 2;
  readonly token?: string;
  readonly plans?: readonly RoundTripPlan[];
}

/** A gateway that can be connected to while its conformance is measured. */
export interface Subject {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Measures a gateway over MCP. The first subject is probed in full, each further one for its endpoint mode; a subject is opened
 * when the one before it is closed, so that they may share servers and files.
 */
export async function measureConformance(
  subjects: readonly (() => Promise<Subject>)[],
  { level, token, plans = [] }: ConformanceOptions,
): Promise<{ readonly judgement: Judgement; readonly bundle: EvidenceBundle }> {
  const id = `conformance_${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
  let seen: Observations | undefined;
  for (const open of subjects) {
    const subject = await open();
    try {
      const probe = await connectProbe(subject.url, token);
      try {
        seen = seen === undefined ? await gatherEvidence(probe, { level, plans, id }) : await addMode(seen, probe);
      } finally {
        await probe.close();
      }
    } finally {
      await subject.close();
    }
  }
  if (seen === undefined) throw new Error('There is no gateway to measure');
  const judgement = judge(seen);
  return { judgement, bundle: finishBundle(seen, judgement) };
}
