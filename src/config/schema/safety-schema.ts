import {
  boolean,
  choice,
  dictionary,
  integer,
  list,
  oneOrMany,
  section,
  string,
  TEXT,
  text,
  withoutDefaults,
} from './setting.js';

/** The risk, from 0 to 100, above which an agent pauses (specification, section 8.7.2). */
export const RISK_TOLERANCES = { conservative: 25, moderate: 50, aggressive: 75 } as const;

export type RiskTolerance = keyof typeof RISK_TOLERANCES;

const TOLERANCE_NAMES = Object.keys(RISK_TOLERANCES) as RiskTolerance[];

const patterns = (description: string) =>
  list(string({ format: 'glob', minLength: 1, maxLength: 200 }, ''), description, [], { maxItems: 200 });

/** The settings of one agent, or of all. */
export const AGENT = {
  maxAutonomousSteps: integer(1, 100_000, 'Steps before a person has to confirm that the agent goes on.', 20),
  riskTolerance: choice(
    TOLERANCE_NAMES,
    'The risk above which a step pauses: 25 (`conservative`), 50 (`moderate`) or 75 (`aggressive`) of 100. From 61 on a person verifies it with a code in any case.',
    'moderate',
  ),
  deny: patterns('Patterns of actions that block the agent, such as `drop_*` and `rm -rf*`.'),
  requiresApproval: patterns('Patterns of actions that another person or client confirms.'),
  autoApprove: patterns('Patterns of actions that are not rated.'),
};

export const CHANNELS = section(
  'How people get the codes, besides the operators of `policy.approvals`, who see them over HTTP.',
  {
    webhook: section('An address that each code is posted to, signed as requests for approval are.', {
      url: text('Where to.'),
      secret: text('The key of the signature; at least 16 characters.'),
      secret_FILE: text('A file that holds it.'),
    }),
    email: section(
      'An account that each code is mailed from.',
      {
        server: text('The SMTP server: `smtps://user:password@mail.example.org`.'),
        server_FILE: text('A file that holds it.'),
        from: text('The sender.'),
        to: oneOrMany(TEXT, 'The people who verify.'),
      },
      ['from', 'to'],
    ),
  },
);

export const SAFETY_LOOP = section(
  'The safety loop of agents that report each step before they take it. See [the safety loop](safety-loop.md).',
  {
    mode: choice(
      ['enforcing', 'monitoring', 'logging', 'disabled'],
      'Whether agents are held (`enforcing`), are only told what would hold them (`monitoring`), are only recorded (`logging`), or the operations are not there (`disabled`).',
      'disabled',
    ),
    startApproval: choice(
      ['human', 'token', 'none'],
      'Who agrees to the start of an agent in mode `enforcing`: a person (`human`), its caller (`token`), or nobody (`none`).',
      'human',
    ),
    freeReads: boolean('Let an agent call operations that only read without a report, in mode `enforcing`.', true),
    requireAgent: boolean(
      'Refuse calls that need a report in sessions in which no agent runs, in mode `enforcing`. Without it a client that starts no agent, or ends it, is held by policy alone.',
      false,
    ),
    ...AGENT,
    agents: dictionary(
      {},
      section(
        'Settings of one agent, instead of those of all; `deny` and `requiresApproval` are added to theirs.',
        withoutDefaults(AGENT),
      ),
      'Settings of single agents, by the `element_name` that they start with, which any client may use.',
    ),
    challenge: section('The codes by which people verify what is dangerous.', {
      // Specification, section 8.8.2.
      expiresSeconds: integer(10, 86_400, 'How long a code is valid.', 300),
      channels: CHANNELS,
    }),
  },
);
