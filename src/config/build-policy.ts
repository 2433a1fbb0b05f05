import { buildApprovals } from './build-approvals.js';
import type { KnownNames } from './build-match.js';
import { buildRules } from './build-rules.js';
import { CONFIG_DEFAULTS } from './config-defaults.js';
import type { Notes } from './config-report.js';
import type { ConfirmationConfig, PolicyConfig } from './policy-config.js';
import type { PolicyEntry } from './policy-document.js';

/** Companion document "confirmation tokens": a longer grace is permitted, and worth a warning. */
const LONG_SKEW_SECONDS = 60;

export interface PolicyContext {
  /** Where relative paths start. */
  readonly directory: string;
  readonly known: KnownNames;
  readonly notes: Notes;
}

/** What may happen, and who must agree. What is wrong goes into the notes. */
export function buildPolicy(entry: PolicyEntry | undefined, { directory, known, notes }: PolicyContext): PolicyConfig {
  const policy: PolicyConfig = {
    readOnly: entry?.readOnly ?? CONFIG_DEFAULTS.policy.readOnly,
    rules: buildRules(entry?.rules, known, notes),
    confirmation: buildConfirmation(entry?.confirmation, notes),
    approvals: buildApprovals(entry?.approvals, { directory, path: ['policy', 'approvals'], notes }),
  };
  noteUnaskable(policy, notes);
  return policy;
}

function buildConfirmation(entry: PolicyEntry['confirmation'], notes: Notes): ConfirmationConfig {
  const defaults = CONFIG_DEFAULTS.policy.confirmation;
  const confirmation = { ...defaults, ...entry, ttlSeconds: { ...defaults.ttlSeconds, ...entry?.ttlSeconds } };
  const { clockSkewSeconds } = confirmation;
  if (clockSkewSeconds > LONG_SKEW_SECONDS) {
    notes.warning(
      ['policy', 'confirmation', 'clockSkewSeconds'],
      `expired tokens pass for another ${clockSkewSeconds} seconds; ${LONG_SKEW_SECONDS} are enough for clocks that differ`,
    );
  }
  return confirmation;
}

/** Rules that ask a person whom there is no way to ask. */
function noteUnaskable({ rules, approvals }: PolicyConfig, notes: Notes): void {
  if (approvals.elicitation || approvals.operator) return;
  for (const [index, { decision, requires }] of rules.entries()) {
    if (decision !== 'confirm' || requires !== 'human') continue;
    notes.warning(
      ['policy', 'rules', index, 'requires'],
      "every call that it matches is refused, as 'approvals' allows neither 'elicitation' nor 'operator'",
    );
  }
}
