/** What a character is to a tokenizer. Space comes first: the beginning of a text is like the place behind one. */
const KINDS = [
  'space',
  'lower',
  'upper',
  'digit',
  'line',
  'sign',
  'latin',
  'letter',
  'ideograph',
  'surrogate',
] as const;
type Kind = (typeof KINDS)[number];

const KIND_OF_ASCII = Uint8Array.from({ length: 128 }, (_, unit) => KINDS.indexOf(kindOfAscii(unit)));
const [SPACE, , , , , , LATIN, LETTER, IDEOGRAPH, SURROGATE] = KINDS.keys();

/** Of a character alone, in tokens of o200k_base; by least squares over the texts of `npm run eval -- --tokens`. */
const FIRST: Readonly<Record<Kind, number>> = {
  space: 0.05,
  lower: 0.65,
  upper: 0.65,
  digit: 1.35,
  line: 1.11,
  sign: 0.46,
  latin: 0.41,
  letter: 0.35,
  ideograph: 0.66,
  surrogate: 0.93,
};
/** Of one that goes on with what stands before it. */
const NEXT: Readonly<Partial<Record<Kind, number>>> = {
  space: 0.07,
  lower: 0.12,
  upper: 0.12,
  digit: 0.29,
  sign: 0.22,
};
/** Of a capital within a word: `camelCase`, and most of base64. */
const CAPITAL = 1.74;

const COSTS = Float64Array.from(KINDS.flatMap((before) => KINDS.map((kind) => costOf(before, kind))));

/**
 * What a text costs a model, in tokens: an estimate, which needs no vocabulary of some megabytes, and takes a microsecond for 400
 * characters. `npm run eval -- --tokens` prints how far it is off.
 * @param most it is not counted further than this; then the result is some number above
 */
export function estimateTokens(text: string, most = Number.POSITIVE_INFINITY): number {
  let before = SPACE ?? 0;
  let tokens = 0;
  for (let at = 0; at < text.length && tokens <= most; at += 1) {
    const kind = kindOf(text.charCodeAt(at));
    tokens += COSTS[before * KINDS.length + kind] ?? 0;
    before = kind;
  }
  return Math.ceil(tokens);
}

/** No byte takes less, in UTF-8: a space behind another. */
const LEAST = 0.07;

/** Whether a text of so many bytes may have that few tokens. */
export function mayHaveTokens(bytes: number, tokens: number): boolean {
  return bytes * LEAST <= tokens;
}

function kindOf(unit: number): number {
  if (unit < 0x80) return KIND_OF_ASCII[unit] ?? 0;
  if (unit < 0x250) return LATIN ?? 0;
  if (unit < 0x1000) return LETTER ?? 0;
  return (unit >= 0xd800 && unit < 0xe000 ? SURROGATE : IDEOGRAPH) ?? 0;
}

function kindOfAscii(unit: number): Kind {
  const character = String.fromCharCode(unit);
  if (/[a-z]/.test(character)) return 'lower';
  if (/[A-Z]/.test(character)) return 'upper';
  if (/\d/.test(character)) return 'digit';
  if (/[\r\n]/.test(character)) return 'line';
  return /[ \t]/.test(character) ? 'space' : 'sign';
}

function costOf(before: Kind, kind: Kind): number {
  if (kind === 'upper' && before === 'lower') return CAPITAL;
  const isSame = kind === before || (isWord(kind) && isWord(before));
  return (isSame ? NEXT[kind] : undefined) ?? FIRST[kind];
}

function isWord(kind: Kind): boolean {
  return kind === 'lower' || kind === 'upper';
}
