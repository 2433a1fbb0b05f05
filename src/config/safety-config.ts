/** What the safety loop does: hold agents, only say what it would hold, only record, or nothing (specification, section 8.6). */
export const SAFETY_MODES = ['enforcing', 'monitoring', 'logging', 'disabled'] as const;

export type SafetyMode = (typeof SAFETY_MODES)[number];

/** The risk, from 0 to 100, above which an agent pauses (specification, section 8.7.2). */
export const RISK_TOLERANCES = { conservative: 25, moderate: 50, aggressive: 75 } as const;

export type RiskTolerance = keyof typeof RISK_TOLERANCES;

/** Who agrees to the start of an agent in mode `enforcing`. */
export const START_CONSENTS = ['human', 'token', 'none'] as const;

/** What one agent may do without a person (specification, section 8.7.4). */
export interface AgentSettings {
  /** Steps before a pause. */
  readonly maxAutonomousSteps: number;
  readonly riskTolerance: RiskTolerance;
  /** Patterns of actions that block the agent until a person verifies it. */
  readonly deny: readonly string[];
  /** Patterns of actions that a person has to confirm. */
  readonly requiresApproval: readonly string[];
  /** Patterns of actions that are not rated. */
  readonly autoApprove: readonly string[];
}

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
  /** Show a dialog on the screen of the machine that the gateway runs on. */
  readonly desktop: boolean;
}

export interface SafetyLoopConfig extends AgentSettings {
  readonly mode: SafetyMode;
  /** Who agrees to the start of an agent; `none` where it starts at once. */
  readonly startApproval: (typeof START_CONSENTS)[number];
  /** Whether calls that only read need no report while an agent runs. */
  readonly freeReads: boolean;
  /** Whether calls that need a report are refused in a session in which no agent runs. */
  readonly requireAgent: boolean;
  /** Settings of single agents, by their `element_name`. */
  readonly agents: Readonly<Record<string, Partial<AgentSettings>>>;
  readonly challenge: {
    /** How long a code is valid. */
    readonly expiresSeconds: number;
    readonly channels: ChallengeChannelsConfig;
  };
}

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
