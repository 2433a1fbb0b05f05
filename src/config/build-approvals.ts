import { buildCredentials } from './build-credentials.js';
import { CONFIG_DEFAULTS } from './config-defaults.js';
import type { ApprovalsConfig } from './policy-config.js';
import type { PolicyEntry, WebhookEntry } from './policy-document.js';
import { readSecret, type SecretContext } from './read-secret.js';

/** How a person is asked. What is wrong goes into the notes. */
export function buildApprovals(entry: PolicyEntry['approvals'], context: SecretContext): ApprovalsConfig {
  const { operators: operatorEntries, publicUrl, webhook: webhookEntry, ...given } = entry ?? {};
  const { path, notes } = context;
  const operators = buildCredentials(operatorEntries, { ...context, path: [...path, 'operators'] });
  const webhook = webhookEntry && buildWebhook(webhookEntry, { ...context, path: [...path, 'webhook'] });
  if (publicUrl !== undefined) noteAddress(publicUrl, { ...context, path: [...path, 'publicUrl'] });
  for (const key of ['publicUrl', 'webhook'] as const) {
    if (entry?.[key] === undefined || Object.keys(operatorEntries ?? {}).length > 0) continue;
    notes.warning(
      [...path, key],
      "nobody could open its links, as there are no operators; set 'operators' or MCP_AQL_ADMIN_TOKEN",
    );
  }
  return {
    ...CONFIG_DEFAULTS.policy.approvals,
    ...given,
    operators,
    ...(publicUrl !== undefined && { publicUrl }),
    ...(webhook !== undefined && { webhook }),
  };
}

function buildWebhook(entry: WebhookEntry, context: SecretContext): ApprovalsConfig['webhook'] {
  const secret = readSecret({ ...entry }, 'secret', context);
  noteAddress(entry.url, { ...context, path: [...context.path, 'url'] });
  return { url: entry.url ?? '', secret: secret ?? '' };
}

function noteAddress(address: string | undefined, { path, notes }: SecretContext): void {
  if (notes.has(path)) return;
  const { protocol } = address !== undefined && URL.canParse(address) ? new URL(address) : { protocol: '' };
  if (protocol !== 'http:' && protocol !== 'https:') notes.problem(path, 'expected an http:// or https:// address');
}
