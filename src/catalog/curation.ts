import { oncePer } from '../base/lib/collections.js';
import { compileNameTest } from '../base/lib/glob.js';
import type { CurationRule, UpstreamConfig } from '../config/gateway-config.js';

/** Everything the operator declares for one tool; later rules overwrite earlier ones, key by key. */
export type Curation = Omit<CurationRule, 'pattern'>;

type Matcher = (name: string) => boolean;

const NOTHING: Curation = Object.freeze({});

/**
 * What the operator declares for a tool, matched by the upstream's name for it or by its snake_case name. A part of a grouped
 * tool is matched by these two and by its own name, but only its own name renames it.
 */
export function curationFor(config: UpstreamConfig, rawName: string, snakeName: string, partName?: string): Curation {
  let curation = NOTHING;
  for (const rule of config.curation) {
    const matches = matcherOf(rule);
    if (!matches(rawName) && !matches(snakeName) && (partName === undefined || !matches(partName))) continue;
    const { pattern, rename, ...rest } = rule;
    // One new name for everything that a wildcard (or a grouped tool) matches would collide with itself.
    const exact = partName === undefined ? pattern === rawName || pattern === snakeName : pattern === partName;
    curation = { ...curation, ...rest, ...(exact && rename !== undefined && { rename }) };
  }
  return curation;
}

/** The rules live as long as their configuration. */
const matcherOf = oncePer(({ pattern }: CurationRule): Matcher => {
  const fits = compileNameTest(pattern);
  return (name) => name === pattern || fits(name);
});
