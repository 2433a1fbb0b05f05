import type { Decision } from '../../config/policy-config.js';
import { type DangerLevel, TRUST_LEVELS, type TrustLevel } from '../../protocol/danger.js';

/**
 * What a call of some danger may do on an upstream of some trust (companion document "danger levels", gating matrix).
 * An untested upstream may be looked at by introspection, which is the gateway's own, and not be called at all.
 */
export const TRUST_MATRIX = {
  untested: { safe: 'deny', reversible: 'deny', destructive: 'deny', dangerous: 'deny', forbidden: 'deny' },
  generated: { safe: 'allow', reversible: 'deny', destructive: 'deny', dangerous: 'deny', forbidden: 'deny' },
  validated: { safe: 'allow', reversible: 'allow', destructive: 'confirm', dangerous: 'deny', forbidden: 'deny' },
  community_reviewed: {
    safe: 'allow',
    reversible: 'allow',
    destructive: 'allow',
    dangerous: 'confirm',
    forbidden: 'deny',
  },
  certified: { safe: 'allow', reversible: 'allow', destructive: 'allow', dangerous: 'allow', forbidden: 'confirm' },
} as const satisfies Record<TrustLevel, Record<DangerLevel, Decision>>;

/** The least trust under which a call of this danger is not denied outright. */
export function minimumTrustFor(danger: DangerLevel): TrustLevel {
  return TRUST_LEVELS.find((trust) => TRUST_MATRIX[trust][danger] !== 'deny') ?? 'certified';
}
