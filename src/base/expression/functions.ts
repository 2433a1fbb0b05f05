import { readMoment } from '../lib/time.js';
import {
  type Application,
  type InferredType,
  isEqual,
  joinTexts,
  MAX_ELEMENTS,
  orderOf,
  readField,
} from './operators.js';

/** A function, with how it is called. */
export interface ExpressionFunction extends Application {
  /** As the documentation shows it: `round(number, digits)`. */
  readonly usage: string;
  readonly meaning: string;
  /** How many arguments it takes. */
  readonly least: number;
  readonly most: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MANY = Number.POSITIVE_INFINITY;
const MAX_DIGITS = 15;
const MAX_PATH_LENGTH = 1000;

/** Every function by its name, in the order in which the reference shows them. */
export const FUNCTIONS: ReadonlyMap<string, ExpressionFunction> = new Map([
  define(
    'days_since(date)',
    'Whole days since a date; negative for a date in the future.',
    [1, 1],
    'number',
    ([date], now) => measure(date, (time) => now - time, DAY_MS),
  ),
  define('hours_since(date)', 'The same in hours.', [1, 1], 'number', ([date], now) =>
    measure(date, (time) => now - time, HOUR_MS),
  ),
  define(
    'days_until(date)',
    'Whole days until a date; negative for a date in the past.',
    [1, 1],
    'number',
    ([date], now) => measure(date, (time) => time - now, DAY_MS),
  ),
  define('length(value)', 'Elements of a list, or characters of a text.', [1, 1], 'number', ([value]) =>
    Array.isArray(value) || typeof value === 'string' ? value.length : null,
  ),
  define(
    "count(list, 'path')",
    'Elements that hold something (neither null nor false), at the path where one is given.',
    [1, 2],
    'number',
    (operands) => readElements(operands)?.filter((value) => value !== null && value !== false).length,
  ),
  define("sum(list, 'path')", 'The sum of the numbers in a list.', [1, 2], 'number', (operands) =>
    readElements(operands)?.reduce((sum: number, value) => (typeof value === 'number' ? sum + value : sum), 0),
  ),
  define(
    'join(list, separator)',
    "Texts and numbers of a list in one text; ', ' unless given.",
    [1, 2],
    'string',
    join,
  ),
  define(
    'concat(a, b, …)',
    'Its arguments in one text; what is missing is left out.',
    [1, MANY],
    'string',
    (operands) => joinTexts(writeAll(operands), ''),
  ),
  define('lower(text)', 'The text in lower case.', [1, 1], 'string', ([text]) =>
    typeof text === 'string' ? text.toLowerCase() : null,
  ),
  define('upper(text)', 'The text in upper case.', [1, 1], 'string', ([text]) =>
    typeof text === 'string' ? text.toUpperCase() : null,
  ),
  define('coalesce(a, b, …)', 'The first argument that is not null.', [1, MANY], typeOfFirst, (operands) =>
    operands.find((value) => value !== null),
  ),
  define(
    'round(number, digits)',
    'Rounded to this many digits after the decimal point, 0 unless given.',
    [1, 2],
    'number',
    round,
  ),
  define(
    'if(condition, then, else)',
    'One of two values; null where `else` is not given.',
    [2, 3],
    ([, ...values]) => typeOfFirst(values),
    ([condition, yes, no = null]) => (condition === true ? yes : no),
  ),
  define(
    'contains(value, part)',
    'Whether a text contains a text, or a list a value; upper and lower case differ.',
    [2, 2],
    'boolean',
    ([value, part]) => contains(value, part),
  ),
  define('min(a, b, …)', 'The least of its arguments and their elements.', [1, MANY], typeOfChoice, (operands) =>
    choose(operands, (order) => order < 0),
  ),
  define('max(a, b, …)', 'The greatest of its arguments and their elements.', [1, MANY], typeOfChoice, (operands) =>
    choose(operands, (order) => order > 0),
  ),
  define('abs(number)', 'The number without its sign.', [1, 1], 'number', ([value]) =>
    typeof value === 'number' ? Math.abs(value) : null,
  ),
]);

function define(
  usage: string,
  meaning: string,
  [least, most]: readonly [number, number],
  type: Application['type'],
  apply: Application['apply'],
): readonly [string, ExpressionFunction] {
  return [usage.slice(0, usage.indexOf('(')), { usage, meaning, least, most, type, apply }];
}

function measure(date: unknown, distance: (time: number) => number, unitMs: number): number | null {
  const time = readMoment(date);
  return time === undefined ? null : Math.floor(distance(time) / unitMs);
}

/** The elements of a list that is short enough to be read. */
function elementsOf(list: unknown): readonly unknown[] | undefined {
  return Array.isArray(list) && list.length <= MAX_ELEMENTS ? list : undefined;
}

function readElements([list, path]: readonly unknown[]): readonly unknown[] | undefined {
  const elements = elementsOf(list);
  if (path === undefined) return elements;
  if (typeof path !== 'string' || path.length > MAX_PATH_LENGTH) return undefined;
  const steps = path.split('.');
  return elements?.map((element) => readField(element, steps));
}

function join([list, separator = ', ']: readonly unknown[]): string | null {
  const elements = elementsOf(list);
  if (elements === undefined || typeof separator !== 'string') return null;
  return joinTexts(writeAll(elements), separator);
}

function* writeAll(values: readonly unknown[]): Generator<string> {
  for (const value of values) if (value !== null && typeof value !== 'object') yield String(value);
}

function round([value, digits = 0]: readonly unknown[]): number | null {
  if (typeof value !== 'number' || typeof digits !== 'number') return null;
  const isPossible = Number.isInteger(digits) && digits >= 0 && digits <= MAX_DIGITS;
  return isPossible ? Number(value.toFixed(digits)) : null;
}

function contains(value: unknown, part: unknown): boolean | null {
  if (typeof value === 'string') return typeof part === 'string' ? value.includes(part) : null;
  return elementsOf(value)?.some((element) => isEqual(element, part) === true) ?? null;
}

function choose(operands: readonly unknown[], isBetter: (order: number) => boolean): unknown {
  let best: unknown;
  for (const operand of operands) {
    const candidates = Array.isArray(operand) ? elementsOf(operand) : [operand];
    if (candidates === undefined) return null;
    for (const candidate of candidates) {
      if (candidate === null) continue;
      const order = best === undefined ? undefined : orderOf(candidate, best);
      if (best === undefined || (order !== undefined && isBetter(order))) best = candidate;
    }
  }
  return best;
}

function typeOfFirst(operands: readonly InferredType[]): InferredType {
  return operands.find((type) => type !== 'unknown') ?? 'unknown';
}

/** Values that are compared are usually numbers. */
function typeOfChoice(operands: readonly InferredType[]): InferredType {
  return operands.includes('string') ? 'string' : 'number';
}
