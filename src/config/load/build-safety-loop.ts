import type { SafetyLoopEntry } from '../config-document.js';
import { CONFIG_DEFAULTS } from '../defaults.js';
import type { PolicyRule } from '../policy-config.js';
import type { ChallengeChannelsConfig, EmailConfig, SafetyLoopConfig } from '../safety-config.js';
import { buildWebhook } from './build-policy.js';
import type { Diagnostics } from './diagnostics.js';
import { readSecret, type SecretContext } from './secrets.js';

interface SafetyContext {
  /** Where relative paths start. */
  readonly directory: string;
  readonly diagnostics: Diagnostics;
}

type ChannelsEntry = NonNullable<NonNullable<SafetyLoopEntry['challenge']>['channels']>;

/** Builds the settings of the safety loop. What is wrong goes into the diagnostics. */
export function buildSafetyLoop(entry: SafetyLoopEntry | undefined, context: SafetyContext): SafetyLoopConfig {
  const { expiresSeconds, ...defaults } = CONFIG_DEFAULTS.safetyLoop;
  const { challenge, agents = {}, ...given } = entry ?? {};
  const path = ['safetyLoop', 'challenge', 'channels'];
  return {
    ...defaults,
    ...given,
    agents,
    challenge: {
      expiresSeconds: challenge?.expiresSeconds ?? expiresSeconds,
      channels: buildChannels(challenge?.channels ?? {}, { ...context, path }),
    },
  };
}

function buildChannels(
  { webhook, email, desktop = false }: ChannelsEntry,
  context: SecretContext,
): ChallengeChannelsConfig {
  const within = (key: string): SecretContext => ({ ...context, path: [...context.path, key] });
  const built = email === undefined ? undefined : buildEmail(email, within('email'));
  return {
    ...(webhook === undefined ? {} : { webhook: buildWebhook(webhook, within('webhook')) }),
    ...(built === undefined ? {} : { email: built }),
    desktop,
  };
}

function buildEmail(entry: NonNullable<ChannelsEntry['email']>, context: SecretContext): EmailConfig | undefined {
  const { to = [], from = '', ...secrets } = entry;
  const server = readSecret({ ...secrets }, 'server', context);
  if (server === undefined) return undefined;
  if (!/^smtps?:\/\/[^\s/]+/.test(server)) {
    context.diagnostics.problem([...context.path, 'server'], 'expected an smtp:// or smtps:// address');
  }
  return { server, from, to: typeof to === 'string' ? [to] : to };
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
