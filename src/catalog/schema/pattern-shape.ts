/**
 * Characters as a bit set: one bit for each of the 128 ASCII characters, and one for everything else together. Coarse, and
 * on the safe side: two sets that share no bit share no character.
 */
export type CharSet = bigint;

/** What matters of a regular expression, or a part of one, for how long it can take. */
export interface PatternShape {
  /** Matching can take exponential time, or the expression is beyond what is understood here. */
  readonly risky: boolean;
  /** How many open-ended repetitions can compete for the same characters: matching takes length to that power. */
  readonly degree: number;
  /** Every character it can consume. */
  readonly chars: CharSet;
  /** What it must begin with: the characters of its first position; 0 where it may begin with nothing. */
  readonly first: CharSet;
  /** Can match texts of different lengths. */
  readonly variable: boolean;
  /** Can match the empty text. */
  readonly empty: boolean;
  /** Exactly one character. */
  readonly single: boolean;
  /** Begins or ends with a character that stands nowhere else in it: repeating it leaves no doubt where each round ends. */
  readonly delimited: boolean;
  /** How often its parts are written out when compiled: counted repetitions multiply. */
  readonly size: number;
}

/** Repetitions up to this often are constant cost; more count as open-ended. */
const FEW = 8;

const MAX_SIZE = 5000;

export const EMPTY_SHAPE: PatternShape = {
  risky: false,
  degree: 0,
  chars: 0n,
  first: 0n,
  variable: false,
  empty: true,
  single: false,
  delimited: false,
  size: 0,
};

export const RISKY_SHAPE: PatternShape = { ...EMPTY_SHAPE, risky: true };

export function characterShape(chars: CharSet): PatternShape {
  return { ...EMPTY_SHAPE, chars, first: chars, empty: false, single: true, size: 1 };
}

/** A look-around: costs what its body costs and consumes nothing. */
export function assertionShape(body: PatternShape): PatternShape {
  return { ...EMPTY_SHAPE, risky: body.risky, degree: body.degree, variable: body.variable, size: body.size };
}

export function sequenceShape(items: readonly PatternShape[]): PatternShape {
  const chars = unionOf(items);
  return {
    risky: items.some((item) => item.risky),
    degree: degreeOf(items),
    chars,
    first: firstOf(items),
    variable: items.some((item) => item.variable),
    empty: items.every((item) => item.empty),
    single: items.length === 1 && items[0]?.single === true,
    delimited: isDelimited(items),
    size: items.reduce((sum, item) => sum + item.size, 0),
  };
}

export function alternativesShape(branches: readonly PatternShape[]): PatternShape {
  const [only] = branches;
  if (only !== undefined && branches.length === 1) return only;
  const disjoint = haveDisjointStarts(branches);
  return {
    risky: branches.some((branch) => branch.risky),
    degree: Math.max(...branches.map((branch) => branch.degree)),
    chars: unionOf(branches),
    first: branches.some((branch) => branch.first === 0n)
      ? 0n
      : branches.reduce((set, branch) => set | branch.first, 0n),
    // Branches that can begin alike leave a choice, and a choice repeated is exponential.
    variable: branches.some((branch) => branch.variable) || !disjoint,
    empty: branches.some((branch) => branch.empty),
    single: disjoint && branches.every((branch) => branch.single),
    delimited: false,
    size: branches.reduce((sum, branch) => sum + branch.size, 0),
  };
}

export function repeatedShape(body: PatternShape, min: number, max: number): PatternShape {
  const size = body.size * Math.max(1, Number.isFinite(max) ? max : min);
  if (size > MAX_SIZE) return RISKY_SHAPE;
  if (min === 1 && max === 1) return body;
  const empty = body.empty || min === 0;
  const shape = {
    ...body,
    size,
    empty,
    first: empty ? 0n : body.first,
    variable: body.variable || min !== max,
    single: false,
    delimited: false,
  };
  if (max <= 1) return shape;
  const clear = body.single || body.delimited || (!body.empty && !body.variable);
  if (!clear) return RISKY_SHAPE;
  const openEnded = max > FEW && min !== max;
  return openEnded ? { ...shape, degree: Math.max(1, body.degree) } : shape;
}

/**
 * Repetitions compete where they follow each other and share characters; a fixed character that none of them can take
 * lies between them like a wall.
 */
function degreeOf(items: readonly PatternShape[]): number {
  let highest = 0;
  let running = 0;
  let contested = 0n;
  for (const item of items) {
    if (item.degree > 0) {
      running =
        (item.chars & contested) === 0n && item.chars !== 0n ? Math.max(running, item.degree) : running + item.degree;
      contested |= item.chars;
      highest = Math.max(highest, running);
    } else if (item.single && (item.chars & contested) === 0n) {
      running = 0;
      contested = 0n;
    }
  }
  return highest;
}

function isDelimited(items: readonly PatternShape[]): boolean {
  const [head, ...tail] = items;
  const last = items.at(-1);
  if (head === undefined || last === undefined) return false;
  const front = items.slice(0, -1);
  return (head.single && (head.chars & unionOf(tail)) === 0n) || (last.single && (last.chars & unionOf(front)) === 0n);
}

function firstOf(items: readonly PatternShape[]): CharSet {
  const first = items.find((item) => item.chars !== 0n);
  return first === undefined || first.empty ? 0n : first.first;
}

function haveDisjointStarts(branches: readonly PatternShape[]): boolean {
  let seen = 0n;
  for (const { first } of branches) {
    if (first === 0n || (first & seen) !== 0n) return false;
    seen |= first;
  }
  return true;
}

function unionOf(shapes: readonly PatternShape[]): CharSet {
  return shapes.reduce((set, shape) => set | shape.chars, 0n);
}
