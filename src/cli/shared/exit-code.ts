/** The exit codes of the process; docs/cli.md documents them. */
export const EXIT_CODE = {
  ok: 0,
  /** The gateway itself failed. */
  failure: 1,
  /** The command line cannot be read. */
  usage: 2,
  /** The configuration has problems. */
  config: 3,
  /** No upstream could be reached. */
  unreachable: 4,
  /** The operation answered with an error, or does not exist. */
  refused: 5,
  /** Something differs from what was accepted, or was never reviewed. */
  unreviewed: 6,
  /** The audit journals were altered. */
  tampered: 7,
  /** The gateway does not meet the conformance level that was asked for. */
  unmet: 8,
} as const;

export type ExitCode = (typeof EXIT_CODE)[keyof typeof EXIT_CODE];

/** Ends a command with a message for the operator instead of a stack. */
export class CliError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}
