import type { AGENT, SAFETY_LOOP } from './schema/safety-schema.js';
import type { Output, Outputs } from './schema/setting.js';

export { RISK_TOLERANCES, type RiskTolerance } from './schema/safety-schema.js';

type SafetyLoop = Output<typeof SAFETY_LOOP>;

/** What the safety loop does: hold agents, only say what it would hold, only record, or nothing (specification, section 8.6). */
export type SafetyMode = SafetyLoop['mode'];

/** What one agent may do without a person (specification, section 8.7.4). */
export type AgentSettings = Outputs<typeof AGENT>;

/** An account of an SMTP server, from which codes are sent. */
export interface EmailConfig {
  /** `smtp://user:password@host:port`, or `smtps:`. Secret: never log. */
  readonly server: string;
  readonly from: string;
  readonly to: readonly string[];
}

/** How people get the codes that no model may read. */
export interface ChallengeChannelsConfig {
  readonly webhook?: {
    readonly url: string;
    /** Key of the HMAC-SHA256 signature. Secret: never log. */
    readonly secret: string;
  };
  readonly email?: EmailConfig;
}

export type SafetyLoopConfig = Omit<SafetyLoop, 'agents' | 'challenge'> & {
  /** Settings of single agents, by their `element_name`. */
  readonly agents: Readonly<Record<string, Partial<AgentSettings>>>;
  readonly challenge: Omit<SafetyLoop['challenge'], 'channels'> & { readonly channels: ChallengeChannelsConfig };
};

/**
 * The settings of an agent: its own, else those of all. What is denied or asked about for all is so for each: the name is its client's word, and
 * must not open anything.
 */
export function settingsOfAgent({ agents, ...all }: SafetyLoopConfig, name: string): AgentSettings {
  const own = Object.hasOwn(agents, name) ? agents[name] : undefined;
  const { maxAutonomousSteps, riskTolerance, autoApprove } = { ...all, ...own };
  return {
    maxAutonomousSteps,
    riskTolerance,
    deny: [...all.deny, ...(own?.deny ?? [])],
    requiresApproval: [...all.requiresApproval, ...(own?.requiresApproval ?? [])],
    autoApprove,
  };
}
