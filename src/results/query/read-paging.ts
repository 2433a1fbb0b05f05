import { type ControlReading, type QueryFault, typeFault, valueFault } from './query-fault.js';
import type { Control, PageRequest } from './result-types.js';

/** What the pagination document recommends (5.2), and its hard limit (5.3): larger pages are clamped to it. */
export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 1000;

const SIZES = { first: 0, last: 0, limit: 0, offset: 0, page: 1, page_size: 1 } as const satisfies Partial<
  Record<Control, number>
>;

type SizeControl = keyof typeof SIZES;

const STYLES = [
  ['first', 'after', 'last', 'before'],
  ['limit', 'offset'],
  ['page', 'page_size'],
] as const satisfies readonly (readonly Control[])[];

/** Controls that exclude each other, and controls that need another one (pagination document, 2.3). */
const CONFLICTS = [
  ['first', 'last', "Use 'first' for forward pagination or 'last' for backward pagination"],
  ['first', 'before', "Use 'first' with 'after' for forward pagination, 'last' with 'before' for backward pagination"],
  ['last', 'after', "Use 'last' with 'before' for backward pagination, 'first' with 'after' for forward pagination"],
] as const satisfies readonly (readonly [Control, Control, string])[];
const COMPANIONS = [
  ['after', 'first', 'last'],
  ['before', 'last', 'first'],
] as const satisfies readonly (readonly [cursor: Control, size: Control, opposite: Control])[];

/** The page that is asked for. Offset and page have a default size; a cursor must come with one. */
export function readPaging(reading: ControlReading): PageRequest {
  const mixed = findMixture(reading);
  reading.faults.push(...(mixed === undefined ? findCombinations(reading) : [mixed]));
  const sizes = readSizes(reading);
  const [after, before] = [readCursor(reading, 'after'), readCursor(reading, 'before')];
  if (sizes.first !== undefined) return { style: 'forward', size: clamp(sizes.first), ...(after && { after }) };
  if (sizes.last !== undefined) return { style: 'backward', size: clamp(sizes.last), ...(before && { before }) };
  if (isGiven(reading, STYLES[1])) {
    return { style: 'offset', size: clamp(sizes.limit), offset: sizes.offset ?? 0 };
  }
  if (!isGiven(reading, STYLES[2])) return { style: 'all' };
  const [size, page] = [clamp(sizes.page_size), sizes.page ?? 1];
  return { style: 'offset', size, offset: Math.min((page - 1) * size, Number.MAX_SAFE_INTEGER), page };
}

function clamp(size: number = DEFAULT_PAGE_SIZE): number {
  return Math.min(size, MAX_PAGE_SIZE);
}

function isGiven({ given }: ControlReading, controls: readonly Control[]): boolean {
  return controls.some((control) => given.has(control));
}

function findMixture(reading: ControlReading): QueryFault | undefined {
  const used = STYLES.filter((style) => isGiven(reading, style));
  if (used.length < 2) return undefined;
  const provided = used.flat().filter((control) => reading.given.has(control));
  const styles = used.map((style) => style.map(reading.nameOf).map(quote).join(', ')).join(' or ');
  return combinationFault(
    `Cannot mix pagination styles: ${provided.map(reading.nameOf).map(quote).join(', ')}`,
    'conflicting parameters',
    provided.map(reading.nameOf),
    `Use one style: ${styles}`,
  );
}

function findCombinations(reading: ControlReading): readonly QueryFault[] {
  const { given } = reading;
  const conflicts = CONFLICTS.filter(([one, other]) => given.has(one) && given.has(other)).map(([one, other, hint]) => {
    const names = [one, other].map(reading.nameOf);
    const message = `Cannot use '${names[0]}' and '${names[1]}' together`;
    return combinationFault(message, 'conflicting parameters', names, renameControls(hint, reading));
  });
  const alone = COMPANIONS.filter(
    ([cursor, size, opposite]) => given.has(cursor) && !given.has(size) && !given.has(opposite),
  ).map(([cursor, size]) => {
    const [name, needed] = [reading.nameOf(cursor), reading.nameOf(size)];
    const message = `Cannot use '${name}' without '${needed}'`;
    return combinationFault(message, 'missing page size', [name], `Add '${needed}', the number of items to return`);
  });
  return [...conflicts, ...alone];
}

/** The answer of the pagination document (2.3). */
function combinationFault(message: string, actual: string, provided: readonly string[], hint: string): QueryFault {
  const expected = 'valid pagination combination';
  return { code: 'VALIDATION_INVALID_TYPE', param: 'pagination', message, expected, actual, provided, hint };
}

function renameControls(text: string, { nameOf }: ControlReading): string {
  return text.replace(/'(first|after|last|before)'/g, (_, control: Control) => quote(nameOf(control)));
}

function quote(name: string): string {
  return `'${name}'`;
}

function readSizes(reading: ControlReading): Partial<Record<SizeControl, number>> {
  const controls = Object.keys(SIZES) as SizeControl[];
  return Object.fromEntries(
    controls.flatMap((control) => {
      const size = readSize(reading, control);
      return size === undefined ? [] : [[control, size]];
    }),
  );
}

function readSize({ given, nameOf, faults }: ControlReading, control: SizeControl): number | undefined {
  if (!given.has(control)) return undefined;
  const value = given.get(control);
  const least = SIZES[control];
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    const isText = typeof value === 'string' && /^\d{1,15}$/.test(value);
    faults.push(typeFault(nameOf(control), 'integer', value, isText ? `Give ${value} as a number` : undefined));
  } else if (value < least) {
    faults.push(valueFault(nameOf(control), `${least} or more`, value, undefined, 'VALIDATION_OUT_OF_RANGE'));
  } else {
    return value;
  }
  return undefined;
}

function readCursor({ given, nameOf, faults }: ControlReading, control: 'after' | 'before'): string | undefined {
  if (!given.has(control)) return undefined;
  const value = given.get(control);
  if (typeof value === 'string' && value !== '') return value;
  const hint = "Give the 'startCursor' or 'endCursor' of an earlier answer, or leave it out for the first page";
  faults.push(
    typeof value === 'string'
      ? valueFault(nameOf(control), 'a cursor', value, hint)
      : typeFault(nameOf(control), 'string', value, hint),
  );
  return undefined;
}
