/** RFC 5424's levels, the least severe first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

/** Whether a message of this level is for a client that asked for `least`. */
export function reaches(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}

/** The params of `notifications/message`. */
export interface LogMessage {
  readonly level: LogLevel;
  readonly logger: string;
  readonly data: unknown;
}

/** The way of a server's log messages to the client that has sent the call. Absent from a call whose client wants none. */
export interface CallLog {
  /** The least severe level that the client wants. */
  readonly level: LogLevel;
  write(message: LogMessage): void;
}

/** The least severe of several levels; undefined of none. */
export function mostVerbose(levels: Iterable<LogLevel>): LogLevel | undefined {
  let least: LogLevel | undefined;
  for (const level of levels) if (least === undefined || !reaches(level, least)) least = level;
  return least;
}
