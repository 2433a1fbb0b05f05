// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration's own references look like that
import type { JsonObject } from '../protocol/json.js';

/** The documentation's example of policy rules; a main file that loads. */
export const POLICY_EXAMPLE: JsonObject = {
  mcpServers: {
    github: { url: 'https://github.example.org/mcp' },
    payments: { url: 'https://payments.example.org/mcp' },
  },
  clients: { ci: { token: '${CI_TOKEN}' } },
  policy: {
    rules: [
      {
        name: 'sandboxes',
        match: { upstream: 'github', category: ['CREATE', 'UPDATE'], params: { repo: { glob: 'sandbox-*' } } },
        decision: 'allow',
      },
      {
        name: 'large refunds',
        match: { operation: 'payments__create_refund', params: { 'refund.amount': { gt: 100 } } },
        decision: 'confirm',
        requires: 'human',
        cooldown_seconds: 30,
        reason: 'Refunds above 100 need a second pair of eyes',
      },
      {
        name: 'no deletions by ci',
        match: { client: 'ci', category: 'DELETE' },
        decision: 'deny',
        reason: 'Builds leave things as they are',
      },
    ],
    approvals: { operators: { alice: { token: '${ALICE_TOKEN}' } } },
  },
};
