import type { Notes } from './config-report.js';
import { formatPath, type JsonPath } from './json-path.js';
import type { ApprovalsConfig, ClientConfig } from './policy-config.js';

interface Secret {
  readonly of: 'operator' | 'webhook' | 'client';
  readonly path: JsonPath;
  readonly value: string;
}

const APPROVALS: JsonPath = ['policy', 'approvals'];

/** Notes every secret that stands twice: it tells nobody apart, and whoever asks could approve their own calls with it. */
export function noteSharedSecrets(approvals: ApprovalsConfig, clients: readonly ClientConfig[], notes: Notes): void {
  const first = new Map<string, Secret>();
  for (const secret of listSecrets(approvals, clients)) {
    const other = first.get(secret.value);
    if (secret.value === '' || notes.has(secret.path)) continue;
    if (other === undefined) first.set(secret.value, secret);
    else notes.problem(secret.path, describeClash(secret, other), 'give each its own: openssl rand -hex 32');
  }
}

function listSecrets({ operators, webhook }: ApprovalsConfig, clients: readonly ClientConfig[]): readonly Secret[] {
  return [
    ...operators.map(({ name, token }) => ({
      of: 'operator' as const,
      path: [...APPROVALS, 'operators', name, 'token'],
      value: token,
    })),
    ...(webhook === undefined
      ? []
      : [{ of: 'webhook' as const, path: [...APPROVALS, 'webhook', 'secret'], value: webhook.secret }]),
    ...clients.map(({ name, token }) => ({ of: 'client' as const, path: ['clients', name, 'token'], value: token })),
  ];
}

function describeClash(secret: Secret, other: Secret): string {
  const same = `the same secret as ${formatPath(other.path)}`;
  return secret.of === 'client' && other.of === 'operator'
    ? `${same}; a client that has an operator's token could approve its own calls`
    : same;
}
