/** What is really started for a stdio server. */
export interface ResolvedCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Windows only: the arguments are one ready command line for cmd.exe. */
  readonly verbatim?: true;
}
