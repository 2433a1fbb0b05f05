import type { Suite } from './find-suite.mjs';
import type { ScenarioResult } from './run-suite.mjs';

interface BothWays {
  readonly direct: readonly ScenarioResult[];
  readonly through: readonly ScenarioResult[];
}

export const SETS: Readonly<Record<string, 'legacy' | 'modern'>>;
export function testFixture(suite: Suite, set: string): Promise<readonly ScenarioResult[]>;
export function testServer(suite: Suite, set: string): Promise<readonly ScenarioResult[]>;
export function testClient(
  suite: Suite,
  set: string,
  chosen?: (scenario: string) => boolean,
): Promise<readonly ScenarioResult[]>;
export function testReference(suite: Suite, set: string, url: string): Promise<BothWays>;
export function testOwnReference(suite: Suite, set: string): Promise<BothWays>;
