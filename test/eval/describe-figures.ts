import type { ClassificationFigures, Judgement } from './evaluate-classification.js';

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** One line of figures; no tool is named. */
export function describeFigures(what: string, figures: ClassificationFigures): string {
  const { tools, accepted, writesInRead, readsElsewhere, destroyers, destroyersUnderrated, overrated } = figures;
  return [
    `${what}: ${tools} tools, accepted ${percent(accepted)}`,
    `writes in READ ${writesInRead.length}`,
    `pure reads elsewhere ${percent(readsElsewhere)}`,
    `destroyers underrated ${destroyersUnderrated.length} of ${destroyers}`,
    `overrated ${percent(overrated)}`,
  ].join(', ');
}

/** How far the confidence can be relied on. */
export function describeCalibration(what: string, { calibration }: ClassificationFigures): string {
  const { expectedError, sure, sureAndRight, mistakesInLeastSureFifth } = calibration;
  return (
    `${what}: expected calibration error ${expectedError.toFixed(3)}, of ${sure} decisions with 0.9 or more ${percent(sureAndRight)} are ` +
    `right, ${percent(mistakesInLeastSureFifth)} of the mistakes are in the least sure fifth`
  );
}

/** The spread over servers: the lowest, the quartiles, and how many have no mistake. */
export function describeSpread(servers: readonly ClassificationFigures[]): string {
  const shares = servers.map(({ accepted }) => accepted).sort((a, b) => a - b);
  const at = (part: number): string => percent(shares[Math.floor(part * (shares.length - 1))] ?? 0);
  const perfect = shares.filter((one) => one === 1).length;
  return `over ${shares.length} servers: lowest ${at(0)}, quartiles ${at(0.25)}, ${at(0.5)}, ${at(0.75)}, without a mistake ${perfect}`;
}

export const namesOf = (judgements: readonly Judgement[]): readonly string[] => judgements.map(({ label }) => label.id);
