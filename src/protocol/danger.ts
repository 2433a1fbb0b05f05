/** How bad an operation can be, from harmless to never (companion document "danger levels"). The order is the severity. */
export const DANGER_LEVELS = ['safe', 'reversible', 'destructive', 'dangerous', 'forbidden'] as const;

export type DangerLevel = (typeof DANGER_LEVELS)[number];

/** How far an upstream's word and work are trusted. The order is the trust; a missing level means `untested`. */
export const TRUST_LEVELS = ['untested', 'generated', 'validated', 'community_reviewed', 'certified'] as const;

export type TrustLevel = (typeof TRUST_LEVELS)[number];

/** A level and, in words an operator can check, why. */
export interface DangerAssessment {
  readonly level: DangerLevel;
  readonly reasons: readonly string[];
}

/** The severity of a level as a number from 0 (safe) to 4 (forbidden). */
export function dangerRank(level: DangerLevel): number {
  return DANGER_LEVELS.indexOf(level);
}

/** The more severe of two levels: doubt never lowers danger. */
export function worseDanger(a: DangerLevel, b: DangerLevel): DangerLevel {
  return dangerRank(a) >= dangerRank(b) ? a : b;
}
