import { braceExpand } from 'minimatch';

/** Extended globs and named classes. What rules are held against comes from callers, so patterns must be cheap to match. */
const UNSUPPORTED = /[?*+@!]\(|\[:\w+:\]/;

const MAX_ALTERNATIVES = 64;

export interface GlobFault {
  readonly message: string;
  readonly suggestion: string;
}

/** Why a rule's pattern cannot be used; undefined where it can. Rules know `*`, `?`, `**`, `[classes]` and `{braces}`. */
export function findGlobFault(pattern: string): GlobFault | undefined {
  if (UNSUPPORTED.test(pattern)) {
    return {
      message: 'expected a pattern without extended globs such as @(a|b), and without named classes',
      suggestion: 'write {a,b} for alternatives, and \\( for a parenthesis',
    };
  }
  if (braceExpand(pattern, { braceExpandMax: MAX_ALTERNATIVES + 1 }).length > MAX_ALTERNATIVES) {
    return {
      message: `expected braces of at most ${MAX_ALTERNATIVES} alternatives`,
      suggestion: 'write a list of patterns',
    };
  }
  return undefined;
}
