/** What the official suite says of one scenario. */
export interface ScenarioResult {
  readonly side: 'server' | 'client';
  readonly set: string;
  readonly scenario: string;
  readonly isRequired: boolean;
  readonly status: 'passed' | 'failed' | 'untested';
  readonly words: readonly string[];
}
