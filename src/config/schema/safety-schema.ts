import type { JsonSchema } from '../../base/json/json.js';
import { CONFIG_DEFAULTS } from '../defaults.js';
import { RISK_TOLERANCES, SAFETY_MODES, START_CONSENTS } from '../safety-config.js';
import { oneOrMany, range, section } from './policy-schema.js';

const { safetyLoop } = CONFIG_DEFAULTS;

const PATTERNS = {
  type: 'array',
  maxItems: 200,
  items: { type: 'string', minLength: 1, maxLength: 200 },
} satisfies JsonSchema;

const TEXT = { type: 'string', minLength: 1 } satisfies JsonSchema;

/** The settings of one agent, or of all. */
const AGENT_PROPERTIES = {
  maxAutonomousSteps: range(1, 100_000, 'Steps before a person has to confirm that the agent goes on.'),
  riskTolerance: {
    enum: Object.keys(RISK_TOLERANCES),
    description:
      'The risk above which a step pauses: 25 (`conservative`), 50 (`moderate`) or 75 (`aggressive`) of 100. From 61 on a person verifies it with a code in any case.',
  },
  deny: { ...PATTERNS, description: 'Patterns of actions that block the agent, such as `drop_*` and `rm -rf*`.' },
  requiresApproval: { ...PATTERNS, description: 'Patterns of actions that another person or client confirms.' },
  autoApprove: { ...PATTERNS, description: 'Patterns of actions that are not rated.' },
};

const CHANNELS = section(
  'How people get the codes, besides the operators of `policy.approvals`, who see them over HTTP.',
  {
    webhook: section('An address that each code is posted to, signed as requests for approval are.', {
      url: { ...TEXT, description: 'Where to.' },
      secret: { ...TEXT, description: 'The key of the signature; at least 16 characters.' },
      secret_FILE: { ...TEXT, description: 'A file that holds it.' },
    }),
    email: {
      ...section('An account that each code is mailed from.', {
        server: { ...TEXT, description: 'The SMTP server: `smtps://user:password@mail.example.org`.' },
        server_FILE: { ...TEXT, description: 'A file that holds it.' },
        from: { ...TEXT, description: 'The sender.' },
        to: oneOrMany(TEXT, 'The people who verify.'),
      }),
      required: ['from', 'to'],
    },
    desktop: {
      type: 'boolean',
      default: false,
      description:
        'Show each code in a dialog on the screen of this machine (`zenity`, `osascript`, PowerShell). Only where no model sees that screen.',
    },
  },
);

export const SAFETY_LOOP_SECTION = section(
  'The safety loop of agents that report each step before they take it. See [the safety loop](safety-loop.md).',
  {
    mode: {
      enum: [...SAFETY_MODES],
      description:
        'Whether agents are held (`enforcing`), are only told what would hold them (`monitoring`), are only recorded (`logging`), or the operations are not there (`disabled`).',
    },
    startApproval: {
      enum: [...START_CONSENTS],
      description:
        'Who agrees to the start of an agent in mode `enforcing`: a person (`human`), its caller (`token`), or nobody (`none`).',
    },
    freeReads: {
      type: 'boolean',
      description: 'Let an agent call operations that only read without a report, in mode `enforcing`.',
    },
    requireAgent: {
      type: 'boolean',
      description:
        'Refuse calls that need a report in sessions in which no agent runs, in mode `enforcing`. Without it a client that starts no agent, or ends it, is held by policy alone.',
    },
    ...AGENT_PROPERTIES,
    agents: {
      type: 'object',
      additionalProperties: section(
        'Settings of one agent, instead of those of all; `deny` and `requiresApproval` are added to theirs.',
        AGENT_PROPERTIES,
      ),
      description: 'Settings of single agents, by the `element_name` that they start with, which any client may use.',
    },
    challenge: section(
      'The codes by which people verify what is dangerous.',
      {
        expiresSeconds: range(10, 86_400, 'How long a code is valid.'),
        channels: CHANNELS,
      },
      { expiresSeconds: safetyLoop.expiresSeconds },
    ),
  },
  safetyLoop,
);
