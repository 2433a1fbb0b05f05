import type { SafetyLoopEntry } from '../config-document.js';
import type { PolicyRule } from '../policy-config.js';
import type { ChallengeChannelsConfig, EmailConfig, SafetyLoopConfig } from '../safety-config.js';
import { SAFETY_LOOP } from '../schema/safety-schema.js';
import { normalise, type Output } from '../schema/setting.js';
import { buildWebhook } from './build-policy.js';
import type { Diagnostics } from './diagnostics.js';
import { readSecret, type SecretContext } from './secrets.js';

interface SafetyContext {
  /** Where relative paths start. */
  readonly directory: string;
  readonly diagnostics: Diagnostics;
}

type Channels = NonNullable<Output<typeof SAFETY_LOOP>['challenge']['channels']>;

/** Builds the settings of the safety loop. What is wrong goes into the diagnostics. */
export function buildSafetyLoop(entry: SafetyLoopEntry | undefined, context: SafetyContext): SafetyLoopConfig {
  const { challenge, agents = {}, ...settings } = normalise(SAFETY_LOOP, entry);
  const path = ['safetyLoop', 'challenge', 'channels'];
  return {
    ...settings,
    agents,
    challenge: {
      ...challenge,
      channels: buildChannels(challenge.channels ?? {}, { ...context, path }),
    },
  };
}

function buildChannels({ webhook, email }: Channels, context: SecretContext): ChallengeChannelsConfig {
  const within = (key: string): SecretContext => ({ ...context, path: [...context.path, key] });
  const built = email === undefined ? undefined : buildEmail(email, within('email'));
  return {
    ...(webhook === undefined ? {} : { webhook: buildWebhook(webhook, within('webhook')) }),
    ...(built === undefined ? {} : { email: built }),
  };
}

function buildEmail(entry: NonNullable<Channels['email']>, context: SecretContext): EmailConfig | undefined {
  const { to = [], from = '', ...secrets } = entry;
  const server = readSecret({ ...secrets }, 'server', context);
  if (server === undefined) return undefined;
  if (!/^smtps?:\/\/[^\s/]+/.test(server)) {
    context.diagnostics.problem([...context.path, 'server'], 'expected an smtp:// or smtps:// address');
  }
  return { server, from, to };
}

const START_RULE = 'safetyLoop.startApproval';

/** The rule by which agents start only with an agreement: once for each, and only where the loop holds agents at all. */
export function startRules({ mode, startApproval }: SafetyLoopConfig): readonly PolicyRule[] {
  if (mode !== 'enforcing' || startApproval === 'none') return [];
  return [
    {
      name: START_RULE,
      match: { operation: ['execute_agent'] },
      decision: 'confirm',
      requires: startApproval,
      reason: 'it starts an agent, whose steps are then judged one by one',
    },
  ];
}
