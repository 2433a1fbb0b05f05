import type { JsonPath } from '../../base/json/json-path.js';
import { whenRuns } from '../../base/protocol/policy-decision.js';
import type { PolicyEntry, RuleEntry, WebhookEntry } from '../config-document.js';
import type { ApprovalsConfig, ConfirmationConfig, PolicyConfig, PolicyRule } from '../policy-config.js';
import { APPROVALS, CONFIRMATION, POLICY } from '../schema/policy-schema.js';
import { normalise } from '../schema/setting.js';
import { buildOperators } from './build-access.js';
import { buildMatch, type KnownNames, noteUnknownNames } from './build-match.js';
import type { Diagnostics } from './diagnostics.js';
import { readSecret, type SecretContext } from './secrets.js';

/** A longer grace is permitted but gets a warning (companion document "confirmation tokens"). */
const LONG_SKEW_SECONDS = 60;

interface PolicyContext {
  /** Where relative paths start. */
  readonly directory: string;
  readonly known: KnownNames;
  /** Where people reach the gateway, unless approvals say otherwise. */
  readonly publicUrl: string | undefined;
  readonly diagnostics: Diagnostics;
}

/** Builds the policy. What is wrong goes into the diagnostics. */
export function buildPolicy(
  entry: PolicyEntry | undefined,
  { directory, known, publicUrl, diagnostics }: PolicyContext,
): PolicyConfig {
  const policy: PolicyConfig = {
    readOnly: normalise(POLICY, entry).readOnly,
    rules: buildRules(entry?.rules, RULES, known, diagnostics),
    confirmation: buildConfirmation(entry?.confirmation, diagnostics),
    approvals: buildApprovals(
      { ...(publicUrl && { publicUrl }), ...entry?.approvals },
      { directory, path: ['policy', 'approvals'], diagnostics },
    ),
  };
  noteUnaskable(policy, diagnostics);
  return policy;
}

function buildConfirmation(entry: PolicyEntry['confirmation'], diagnostics: Diagnostics): ConfirmationConfig {
  const confirmation = normalise(CONFIRMATION, entry);
  const { clockSkewSeconds } = confirmation;
  if (clockSkewSeconds > LONG_SKEW_SECONDS) {
    diagnostics.warning(
      ['policy', 'confirmation', 'clockSkewSeconds'],
      `expired tokens stay valid for another ${clockSkewSeconds} seconds; ${LONG_SKEW_SECONDS} are enough for clocks that differ`,
    );
  }
  return confirmation;
}

/** Warns of rules that require a person where no way to ask one is allowed. */
function noteUnaskable({ rules, approvals }: PolicyConfig, diagnostics: Diagnostics): void {
  if (approvals.elicitation || approvals.operator) return;
  for (const [index, { decision, requires }] of rules.entries()) {
    if (whenRuns(decision) !== 'when agreed' || requires !== 'human') continue;
    diagnostics.warning(
      ['policy', 'rules', index, 'requires'],
      "every call that it matches is refused, as 'approvals' allows neither 'elicitation' nor 'operator'",
    );
  }
}

const RULES: JsonPath = ['policy', 'rules'];

/** Policy rules, in order and with their lists as lists. What is wrong with one goes into the diagnostics. */
export function buildRules(
  entries: readonly RuleEntry[] | undefined,
  at: JsonPath,
  known: KnownNames,
  diagnostics: Diagnostics,
): readonly PolicyRule[] {
  const firstIndexes = new Map<string, number>();
  return (entries ?? []).map((entry, index) => {
    const path = [...at, index];
    const rule = buildRule(entry, index);
    // A faulty entry is reported already; further faults would only follow from that.
    if (!diagnostics.has(path)) noteContradictions(entry, path, diagnostics);
    noteUnknownNames(rule.match, known, [...path, 'match'], diagnostics);
    const first = firstIndexes.get(rule.name);
    if (first === undefined) firstIndexes.set(rule.name, index);
    else
      diagnostics.problem([...path, 'name'], `rule ${first + 1} is called '${rule.name}' too`, 'choose another name');
    return rule;
  });
}

function buildRule(entry: RuleEntry, index: number): PolicyRule {
  const { name = `rule ${index + 1}`, match = {}, decision, reason, requires = 'token', cooldown_seconds } = entry;
  return {
    name,
    match: buildMatch(match),
    decision,
    ...(reason !== undefined && { reason }),
    requires,
    cooldownSeconds: cooldown_seconds,
  };
}

function noteContradictions(
  { match = {}, decision, ...rest }: RuleEntry,
  path: JsonPath,
  diagnostics: Diagnostics,
): void {
  if (whenRuns(decision) === 'freely' && Object.keys(match).length === 0) {
    diagnostics.problem(
      [...path, 'match'],
      'a rule that allows must say what',
      'name operations, categories or the like',
    );
  }
  for (const key of ['requires', 'cooldown_seconds'] as const) {
    if (rest[key] === undefined || whenRuns(decision) === 'when agreed') continue;
    diagnostics.problem(
      [...path, key],
      "only a rule with the decision 'confirm' has it",
      'change the decision, or leave it out',
    );
  }
  for (const [name, condition] of Object.entries(match.params ?? {})) {
    if (condition.present !== false || Object.keys(condition).length === 1) continue;
    diagnostics.problem(
      [...path, 'match', 'params', name],
      "a parameter that is not given ('present': false) meets no other condition",
      'leave one of them out',
    );
  }
}

/** Builds the settings by which a person is asked. What is wrong goes into the diagnostics. */
function buildApprovals(entry: PolicyEntry['approvals'], context: SecretContext): ApprovalsConfig {
  const { operators: operatorEntries, publicUrl, webhook: webhookEntry, ...given } = normalise(APPROVALS, entry);
  const { path, diagnostics } = context;
  const operators = buildOperators(operatorEntries, { ...context, path: [...path, 'operators'] });
  const webhook = webhookEntry && buildWebhook(webhookEntry, { ...context, path: [...path, 'webhook'] });
  if (publicUrl !== undefined) noteAddress(publicUrl, { ...context, path: [...path, 'publicUrl'] });
  const hasAny = [...Object.keys(operatorEntries ?? {}), ...given.operatorGroups].length > 0;
  for (const key of ['publicUrl', 'webhook'] as const) {
    if (entry?.[key] === undefined || hasAny) continue;
    diagnostics.warning(
      [...path, key],
      "its links cannot be opened, because there are no operators; set 'operators' or MCP_AQL_ADMIN_TOKEN",
    );
  }
  return {
    ...given,
    operators,
    ...(publicUrl !== undefined && { publicUrl }),
    ...(webhook !== undefined && { webhook }),
  };
}

export function buildWebhook(entry: WebhookEntry, context: SecretContext): NonNullable<ApprovalsConfig['webhook']> {
  const secret = readSecret({ ...entry }, 'secret', context);
  noteAddress(entry.url, { ...context, path: [...context.path, 'url'] });
  return { url: entry.url ?? '', secret: secret ?? '' };
}

function noteAddress(address: string | undefined, { path, diagnostics }: SecretContext): void {
  if (diagnostics.has(path)) return;
  const { protocol } = address !== undefined && URL.canParse(address) ? new URL(address) : { protocol: '' };
  if (protocol !== 'http:' && protocol !== 'https:')
    diagnostics.problem(path, 'expected an http:// or https:// address');
}
