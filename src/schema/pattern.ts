/** What a validator needs of a regular expression. */
interface PatternTest {
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

/** Where reading stands in the pattern. */
interface Cursor {
  readonly source: string;
  index: number;
  depth: number;
}

const MAX_DEPTH = 50;
const OTHER_CHARACTERS: CharSet = 1n << 128n;
const BEYOND_ASCII = ['\u00a0', 'é', 'ß', '\u2028', '中', '😀', '٣'];

/** How long matching a JavaScript regular expression can take; `risky` also for whatever is not understood. */
export function readPattern(source: string): PatternShape {
  const cursor: Cursor = { source, index: 0, depth: 0 };
  const shape = readAlternatives(cursor);
  return cursor.index < source.length ? RISKY_SHAPE : shape;
}

function readAlternatives(cursor: Cursor): PatternShape {
  if (++cursor.depth > MAX_DEPTH) return giveUp(cursor);
  const branches = [readSequence(cursor)];
  while (take(cursor, /\|/y) !== undefined) branches.push(readSequence(cursor));
  cursor.depth--;
  return alternativesShape(branches);
}

function readSequence(cursor: Cursor): PatternShape {
  const items: PatternShape[] = [];
  while (cursor.index < cursor.source.length && !/[|)]/.test(cursor.source.charAt(cursor.index))) {
    items.push(readRepetition(cursor, readItem(cursor)));
  }
  return sequenceShape(items);
}

function readRepetition(cursor: Cursor, item: PatternShape): PatternShape {
  const quantifier = take(cursor, /(?:[*+?]|\{(\d+)(,(\d*))?\})\??/y);
  if (quantifier === undefined) return item;
  const [text, from, range, to] = quantifier;
  if (from === undefined) {
    return repeatedShape(item, text.startsWith('+') ? 1 : 0, text.startsWith('?') ? 1 : Number.POSITIVE_INFINITY);
  }
  const min = Number(from);
  const max = range === undefined ? min : to === '' ? Number.POSITIVE_INFINITY : Number(to);
  return repeatedShape(item, min, max);
}

function readItem(cursor: Cursor): PatternShape {
  const group = take(cursor, /\((\?(?::|<?[=!]|<[A-Za-z_$][\w$]*>))?/y);
  if (group !== undefined) return readGroup(cursor, group[1]);
  if (take(cursor, /\^|\$|\\[bB]/y) !== undefined) return EMPTY_SHAPE;
  // Back-references make matching exponential whatever else is done.
  if (take(cursor, /\\(?:[1-9]|k)/y) !== undefined) return giveUp(cursor);
  const atom = take(
    cursor,
    /\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[\s\S])|[^\\()[\]*+?]/uy,
  );
  return atom === undefined ? giveUp(cursor) : characterShape(readCharacters(atom[0]));
}

function readGroup(cursor: Cursor, kind: string | undefined): PatternShape {
  const unknownKind = kind === undefined && cursor.source.charAt(cursor.index) === '?';
  if (unknownKind) return giveUp(cursor);
  const body = readAlternatives(cursor);
  if (take(cursor, /\)/y) === undefined) return giveUp(cursor);
  return kind !== undefined && /[=!]$/.test(kind) ? assertionShape(body) : body;
}

/** The characters that an atom (one literal, escape or class) accepts, found by trying them. */
function readCharacters(atom: string): CharSet {
  const matcher = compileAtom(atom);
  let chars = /[^\p{ASCII}]|\\[uxpP]/u.test(atom) ? OTHER_CHARACTERS : 0n;
  for (let code = 0; code < 128; code++) if (matcher.test(String.fromCharCode(code))) chars |= 1n << BigInt(code);
  return BEYOND_ASCII.some((char) => matcher.test(char)) ? chars | OTHER_CHARACTERS : chars;
}

function compileAtom(atom: string): RegExp {
  try {
    return new RegExp(`^${atom}$`, 'u');
  } catch {
    // Without the flag more spellings are allowed; the whole pattern has compiled in one of the two ways.
    return new RegExp(`^${atom}$`);
  }
}

function giveUp(cursor: Cursor): PatternShape {
  cursor.index = cursor.source.length;
  return RISKY_SHAPE;
}

function take(cursor: Cursor, sticky: RegExp): RegExpExecArray | undefined {
  sticky.lastIndex = cursor.index;
  const match = sticky.exec(cursor.source);
  if (match === null) return undefined;
  cursor.index += match[0].length;
  return match;
}

/**
 * Characters as a bit set: one bit for each of the 128 ASCII characters, and one for everything else together. Coarse, and
 * on the safe side: two sets that share no bit share no character.
 */
type CharSet = bigint;

/** What matters of a regular expression, or a part of one, for how long it can take. */
interface PatternShape {
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
const FEW_REPETITIONS = 8;

const MAX_SIZE = 5000;

const EMPTY_SHAPE: PatternShape = {
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

const RISKY_SHAPE: PatternShape = { ...EMPTY_SHAPE, risky: true };

function characterShape(chars: CharSet): PatternShape {
  return { ...EMPTY_SHAPE, chars, first: chars, empty: false, single: true, size: 1 };
}

/** A look-around: costs what its body costs and consumes nothing. */
function assertionShape(body: PatternShape): PatternShape {
  return { ...EMPTY_SHAPE, risky: body.risky, degree: body.degree, variable: body.variable, size: body.size };
}

function sequenceShape(items: readonly PatternShape[]): PatternShape {
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

function alternativesShape(branches: readonly PatternShape[]): PatternShape {
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

function repeatedShape(body: PatternShape, min: number, max: number): PatternShape {
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
  const openEnded = max > FEW_REPETITIONS && min !== max;
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
