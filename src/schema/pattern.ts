import { LRUCache } from 'lru-cache';
import type { RE2JS } from 're2js';
import { requirePackage } from '../base/asset.js';
import { getOrMake } from '../base/lib/collections.js';
import { translatePattern } from './translate-pattern.js';

/** A JSON Schema `pattern` made ready, and what it costs in units of work (about 15 nanoseconds each). */
interface Pattern {
  test(text: string): boolean;
  readonly compileWork: number;
  /** An upper bound for one test of a text of so many characters. */
  testWork(length: number): number;
}

/** A pattern, or why it is not checked. */
type CompiledPattern =
  | { readonly pattern: Pattern; readonly gap?: undefined }
  | { readonly pattern?: undefined; readonly gap: string };

/** An automaton keeps at most 8 MB of states, most keep some kilobytes. */
const MOST_KEPT = 200;
const COMPILE_UNITS = 2_000;

/** Up to this size all states of the automaton are soon known, and a character costs one look-up. */
const SMALL_PROGRAM = 12;
const UNITS_PER_STEP = 4;

const compiled = new LRUCache<string, CompiledPattern>({ max: MOST_KEPT });

/**
 * Compiles a pattern from a schema that a server sent. JavaScript's own engine backtracks, so a short pattern can take longer
 * than the universe lasts; this one is linear in the length of the text (https://github.com/google/re2/wiki/WhyRE2).
 * What it does not know (look-around, backreferences) is not checked: the upstream, whose pattern it is, judges it.
 */
export function compilePattern(source: string): CompiledPattern {
  return getOrMake<string, CompiledPattern>(compiled, source, () => compile(source));
}

function compile(source: string): CompiledPattern {
  const translated = translatePattern(source);
  if (translated.gap !== undefined) return { gap: translated.gap };
  try {
    const expression = loadEngine().compile(translated.text);
    const size = expression.programSize();
    const perCharacter = size <= SMALL_PROGRAM ? 1 : size * UNITS_PER_STEP;
    const pattern: Pattern = {
      test: (text) => expression.test(text),
      compileWork: size * COMPILE_UNITS,
      testWork: (length) => 50 + length * perCharacter,
    };
    return { pattern };
  } catch {
    // Some classes, and repetitions of more than a thousand, are JavaScript's alone.
    return { gap: 'it cannot be checked in linear time' };
  }
}

let engine: typeof RE2JS | undefined;

/** Loaded at the first pattern: it takes about 15 ms, and many gateways never meet one. */
function loadEngine(): typeof RE2JS {
  if (engine === undefined) {
    const module: { readonly RE2JS: typeof RE2JS } = requirePackage('re2js');
    engine = module.RE2JS;
  }
  return engine;
}
