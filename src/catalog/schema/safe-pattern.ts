import { readPattern } from './read-pattern.js';

/** What a validator needs of a regular expression. */
export interface PatternTest {
  test(text: string): boolean;
  /** Validators tell patterns apart by this. */
  toString(): string;
}

const MAX_PATTERN_LENGTH = 2000;

/** Steps that one match may take at worst: about a tenth of a second. */
const MAX_STEPS = 1e8;

/**
 * A JSON Schema `pattern` that cannot hang the process. JavaScript's matcher backtracks, a pattern comes from a foreign
 * server and the text from a foreign client: where the two could take long, or the pattern is not JavaScript's, everything
 * matches and the upstream, whose pattern it is, remains the judge.
 */
export function compilePattern(source: string): PatternTest & { readonly skipped: boolean } {
  const expression = source.length > MAX_PATTERN_LENGTH ? undefined : compile(source);
  const shape = expression === undefined ? undefined : readPattern(source);
  if (expression === undefined || shape === undefined || shape.risky) return skip(source);
  const maxLength = longestText(shape.degree, source.startsWith('^'));
  return {
    skipped: false,
    test: (text) => text.length > maxLength || expression.test(text),
    toString: () => String(expression),
  };
}

function skip(source: string): ReturnType<typeof compilePattern> {
  return { skipped: true, test: () => true, toString: () => `skipped ${source}` };
}

function compile(source: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // JSON Schema recommends Unicode patterns; many in use compile only without the flag, others are of another language.
    }
  }
  return undefined;
}

/** An expression that is not tied to the start is tried at every position: one power more. */
function longestText(degree: number, anchored: boolean): number {
  const power = degree + (anchored ? 0 : 1);
  return power <= 1 ? Number.POSITIVE_INFINITY : Math.floor(MAX_STEPS ** (1 / power));
}
