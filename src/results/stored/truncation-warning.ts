import { type JsonObject, parseJson } from '../../base/json/json.js';
import { formatPath, type JsonPath, valueAt } from '../../base/json/json-path.js';
import { quoteValues } from '../../base/lib/text.js';
import type { Warning } from '../../base/protocol/result.js';
import type { Control } from '../query/result-types.js';
import { describeWhole, isJsonText } from './describe-whole.js';
import type { Cut } from './truncate.js';

/** How to read what was left out. */
interface WayToRest {
  /** Of the whole answer; absent where it could not be stored. */
  readonly handle?: string | undefined;
  /** Of the next page, with the parameters to add to the same call; absent where there are no pages. */
  readonly page?: { readonly cursor: string; readonly params: JsonObject } | undefined;
  /** What the answer had to fit into, in tokens. */
  readonly limit: number;
  /** What was cut, as it was; absent where its reader knows. */
  readonly whole?: unknown;
  /** The controls that the same call could take, by the names that callers use. */
  readonly controls?: ReadonlyMap<Control, string>;
}

const CODE = 'VALIDATION_TRUNCATED_WARNING';

/** Cuts that the message names, and that the details list; a warning must not be long itself. */
const IN_MESSAGE = 3;
const IN_DETAILS = 10;
const LONGEST_PATH = 200;

/** Items to ask for at a time; fewer come where they do not fit. */
const SUGGESTED_PAGE = 20;

/** Which cut matters most at equal numbers: an item is more than a member, a member more than a character. */
const KINDS: Readonly<Record<Cut['kind'], { readonly rank: number; readonly noun: string }>> = {
  items: { rank: 0, noun: 'items' },
  members: { rank: 1, noun: 'members' },
  text: { rank: 2, noun: 'characters' },
};

/** Says what was left out of an answer and which call reads on. @param cuts at least one, as `fitAnswer` gave them */
export function describeCuts(cuts: readonly Cut[], way: WayToRest): Warning {
  const ordered = cuts.filter(hasShortPath).sort(compareCuts);
  const main = ordered[0];
  const described = ordered
    .slice(0, IN_MESSAGE)
    .map((cut, index) => describeCut(cut, index === 0 ? way.whole : undefined));
  const omitted = cuts.length - described.length;
  const others = omitted > 0 ? [`${omitted} other place(s) were shortened`] : [];
  return {
    code: CODE,
    message: [`The answer was too big: ${[...described, ...others].join('; ')}`, ...describeWays(main, way)].join('. '),
    details: {
      ...(main && { field: writeResultPath(main.path), original_count: main.total, truncated_count: main.kept }),
      limit: way.limit,
      ...(way.handle === undefined ? {} : { handle: way.handle }),
      ...(way.page === undefined ? {} : { cursor: way.page.cursor }),
      cuts: ordered.slice(0, IN_DETAILS).map((cut) => ({ ...cut, path: writeResultPath(cut.path) })),
    },
    severity: main === undefined || main.kept * 2 < main.total ? 'medium' : 'low',
  };
}

/** @param root what was cut, where the message says what is at the cut as a whole */
function describeCut({ path, kind, kept, total }: Cut, root: unknown): string {
  const name = path.length === 0 ? 'it' : `'${writeResultPath(path)}'`;
  const whole = root === undefined ? '' : `. The whole is ${describeWhole(valueAt(root, path))}`;
  return `${name} holds the first ${kept} of ${total} ${KINDS[kind].noun}${whole}`;
}

function describeWays(main: Cut | undefined, { handle, page, whole, controls = NO_CONTROLS }: WayToRest): string[] {
  const ways = main === undefined ? [] : describeControls(main, valueAt(whole, main.path), controls);
  if (page !== undefined) ways.push(`Next page: the same call with ${JSON.stringify(page.params)} added`);
  if (handle !== undefined) {
    ways.push(
      `The whole answer is stored for a while. Read on: introspect ${JSON.stringify(nextRequest(handle, main))}`,
    );
    ways.push("Or give introspect 'search', 'fields' or 'lines' with the same name to read a part");
  }
  return ways.length > 0 ? ways : ['The whole answer is too big to store: ask for smaller parts'];
}

/** What the same call could ask of the value that was cut: of a list, one in JSON, or the lines of a text. */
function describeControls({ path, kind }: Cut, value: unknown, controls: ReadonlyMap<Control, string>): string[] {
  const names = OF_LISTS.flatMap((control) => controls.get(control) ?? []);
  const isJson = kind === 'text' && isJsonText(value);
  const hasLines = kind === 'text' && String(value).includes('\n');
  if (names.length === 0 || !(kind === 'items' || isJson || hasLines)) return [];
  const collection = controls.get('collection');
  const place =
    path.length === 0 || collection === undefined ? '' : ` and ${JSON.stringify({ [collection]: path.join('.') })}`;
  const what = kind === 'items' ? 'this array' : isJson ? 'this JSON' : "its lines, each as 'value'";
  return [
    `For a part, add ${quoteValues(names)}${hasLines && !isJson ? '' : place} to the same call: they read ${what}`,
  ];
}

const NO_CONTROLS: ReadonlyMap<Control, string> = new Map();

const OF_LISTS = ['filter', 'fields', 'sort', 'aggregate'] as const;

/** The exact parameters of the call that reads on where the main cut is. */
function nextRequest(handle: string, main: Cut | undefined): JsonObject {
  if (main === undefined) return { query: 'result', name: handle };
  const path = writeResultPath(main.path);
  return {
    query: 'result',
    name: handle,
    ...(path === '' ? {} : { path }),
    ...(main.kind === 'items' ? { first: SUGGESTED_PAGE } : {}),
    after: String(main.kept),
  };
}

/** An answer may have keys of any length. */
function hasShortPath({ path }: Cut): boolean {
  return writeResultPath(path).length <= LONGEST_PATH;
}

function compareCuts(a: Cut, b: Cut): number {
  return KINDS[a.kind].rank - KINDS[b.kind].rank || b.total - b.kept - (a.total - a.kept);
}

/** A key, `["a key"]` or `[3]`, with the dot before it. */
const STEP = /\.?([^.[\]"]+)|\.?\[(\d{1,10}|"(?:[^"\\]|\\.)*")\]/suy;

/** A path as people write it and `parseResultPath` reads it; empty for the root. */
export function writeResultPath(path: JsonPath): string {
  return path.length === 0 ? '' : formatPath(path);
}

/** Reads a path as people write it, `items[3].body` or `files["a.b"]`; undefined where it is not one. Empty is the root. */
export function parseResultPath(text: string): JsonPath | undefined {
  const path: (string | number)[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const start = STEP.lastIndex;
    const match = STEP.exec(text);
    if (match === null || startsWrongly(text, start)) return undefined;
    const step = match[1] ?? readBracket(match[2] ?? '');
    if (step === undefined) return undefined;
    path.push(step);
  }
  return path;
}

/** A dot separates two steps, and a key after another one needs it. */
function startsWrongly(text: string, start: number): boolean {
  const first = text[start];
  return start === 0 ? first === '.' : first !== '.' && first !== '[';
}

function readBracket(text: string): string | number | undefined {
  const step = parseJson(text);
  return typeof step === 'string' || typeof step === 'number' ? step : undefined;
}
