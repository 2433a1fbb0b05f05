import type { JsonObject } from '../../base/json/json.js';
import { measureJson } from '../../base/json/measure.js';
import { Pauses } from '../../base/pauses/pauses.js';
import type { Caller, HandlerCall, OperationHandler } from '../../base/protocol/call.js';
import { GATEWAY_SOURCE, type Operation } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { Owned } from '../../base/protocol/qualified-names.js';
import type { Warning } from '../../base/protocol/result.js';
import { narrowTo } from './operations.js';
import { keyOf, type ListName, memberOf } from './primitive-lists.js';
import { cleanEntry } from './read-entry.js';
import type { KnownLists } from './reader-lists.js';
import { nameResources } from './resource-handler.js';
import { handOver } from './shape-contents.js';

interface ListHandlerDeps {
  readonly lists: KnownLists;
  /** Whether policy lets this call run without a question. */
  readonly isAllowed: (operation: Operation, args: JsonObject, caller: Caller) => boolean;
  /** How callers see what an upstream's list holds. */
  readonly show: (list: ListName, owned: Owned) => string;
}

/** Lists what servers have, for models as the answer of an operation, and in pages for MCP's own methods. */
export function createListHandler(
  { lists, isAllowed, show }: ListHandlerDeps,
  listOf: (args: JsonObject) => ListName,
): OperationHandler {
  /** The entries of the lists that the caller may see, and the upstreams whose entries it may not. */
  const collect = async (call: HandlerCall, list: ListName) => {
    const { operation, caller, arguments: args } = call;
    const isAsked = (slug: string): boolean => operation.upstream === GATEWAY_SOURCE || operation.upstream === slug;
    // Those of all servers, as a name that several have is shown with its server.
    const reading = lists.ready(list);
    if (reading !== undefined) await reading;
    const listed: ListedEntry[] = [];
    const denied: string[] = [];
    for (const { upstream, entries } of lists.known(list)) {
      if (!isAsked(upstream)) continue;
      const isVisible = operation.upstream === upstream || isAllowed(narrowTo(operation, upstream), args, caller);
      if (!isVisible) {
        denied.push(upstream);
        continue;
      }
      for (const { id, value } of entries) listed.push({ upstream, id, value });
    }
    return { listed, denied };
  };
  const showEntry = (list: ListName, { upstream, id, value }: ListedEntry): JsonObject => {
    const shown = show(list, { upstream, id });
    const named = shown === id || list !== 'skills' ? value : nameResources(value, upstream);
    return { ...cleanEntry(named, keyOf(list)), [keyOf(list)]: shown };
  };
  const showAll = async (list: ListName, entries: readonly ListedEntry[], shape = asShown): Promise<JsonObject[]> => {
    const shown: JsonObject[] = [];
    const pauses = new Pauses();
    for (const entry of entries) {
      shown.push(shape(showEntry(list, entry), entry.upstream));
      await pauses.due();
    }
    return shown;
  };
  return async (call) => {
    const { native, operation } = call;
    const list = native === undefined ? listOf(call.arguments) : listOfMethod(native.method);
    const { listed, denied } = await collect(call, list);
    if (native !== undefined) {
      const { page, nextCursor } = takePage(listed, native.params['cursor']);
      const shown = await showAll(list, page);
      return { native: { [memberOf(list)]: shown, ...(nextCursor === undefined ? {} : { nextCursor }) } };
    }
    const asked = lists
      .declaring(operation.primitive ?? '')
      .filter((slug) => operation.upstream === GATEWAY_SOURCE || operation.upstream === slug);
    const refusals = [...lists.refusals(list)].filter(([slug]) => asked.includes(slug));
    const away = asked.filter((slug) => lists.isAway(slug));
    const missing = [...denied, ...away, ...refusals.map(([slug]) => slug)];
    const unread = asked.filter((slug) => !missing.includes(slug) && lists.isUnread(list, slug));
    const structuredContent = await showAll(list, listed, forModels);
    const warnings = [...refusals.map(([, refusal]) => notShown(refusal)), ...warnOf({ denied, away, unread })];
    return { toolResult: await handOver({ structuredContent }, call), warnings };
  };
}

function listOfMethod(method: string): ListName {
  if (method === 'prompts/list') return 'prompts';
  if (method === 'skills/list') return 'skills';
  return method === 'resources/templates/list' ? 'templates' : 'resources';
}

function asShown(value: JsonObject, _upstream: string): JsonObject {
  return value;
}

/** What a model needs of an entry: pictures and what programs say to each other cost tokens and tell it nothing. */
function forModels({ icons: _icons, _meta, ...value }: JsonObject, upstream: string): JsonObject {
  return { ...value, upstream };
}

/** What the caller's user has to do before a server lists what is theirs. */
function notShown({ message, details }: OperationError): Warning {
  return { code: 'LIST_INCOMPLETE_WARNING', message, details, severity: 'medium' };
}

/** The servers whose entries are missing or old, by reason. */
interface Incomplete {
  readonly denied: readonly string[];
  readonly away: readonly string[];
  readonly unread: readonly string[];
}

function warnOf({ denied, away, unread }: Incomplete): readonly Warning[] {
  const warn = (slugs: readonly string[], code: string, say: (names: string) => string): readonly Warning[] => {
    if (slugs.length === 0) return [];
    return [{ code, message: say(slugs.map((slug) => `'${slug}'`).join(', ')), severity: 'low' }];
  };
  return [
    ...warn(
      denied,
      'LIST_INCOMPLETE_WARNING',
      (names) => `Those of ${names} are left out, as policy does not let you list them without a question`,
    ),
    ...warn(
      unread,
      'LIST_INCOMPLETE_WARNING',
      (names) => `Those of ${names} are missing: their lists could not be read yet, and are tried again`,
    ),
    ...warn(
      away,
      'LIST_STALE_WARNING',
      (names) => `Not connected now: ${names}. Their last known lists are shown, and reading may fail`,
    ),
  ];
}

/** An entry of all lists together. */
export interface ListedEntry {
  readonly upstream: string;
  readonly id: string;
  /** As its upstream sent it. */
  readonly value: JsonObject;
}

/** The JSON of one page of MCP's lists, in characters. Many clients read one page, so that most lists are one. */
const PAGE_CHARACTERS = 1_000_000;

/**
 * A page of a list and the cursor of the next. A cursor holds the place of the last entry that was shown and its name, so that it goes on in the
 * right place when others come and go, and in about the right place when that entry itself has gone.
 */
export function takePage(
  entries: readonly ListedEntry[],
  cursor: unknown,
): { readonly page: readonly ListedEntry[]; readonly nextCursor?: string } {
  const start = cursor === undefined ? 0 : startAfter(entries, cursor);
  const page = entries.slice(start, endOfPage(entries, start));
  const last = page.at(-1);
  const end = start + page.length;
  return last === undefined || end >= entries.length ? { page } : { page, nextCursor: writeCursor(end, last) };
}

function endOfPage(entries: readonly ListedEntry[], start: number): number {
  let left = PAGE_CHARACTERS;
  const end = entries.findIndex(({ value }, index) => {
    if (index < start) return false;
    left -= measureJson(value, PAGE_CHARACTERS);
    return left < 0 && index > start;
  });
  return end < 0 ? entries.length : end;
}

function writeCursor(end: number, last: ListedEntry): string {
  return Buffer.from(`${end} ${last.upstream} ${last.id}`).toString('base64url');
}

const CURSOR = /^(\d{1,9}) (\S+) (.+)$/s;

function startAfter(entries: readonly ListedEntry[], cursor: unknown): number {
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString('utf8') : '';
  const [, place, upstream, id] = CURSOR.exec(text) ?? [];
  if (place === undefined) throw unknownCursor();
  const end = Number(place);
  const isLast = (entry: ListedEntry | undefined): boolean => entry?.id === id && entry?.upstream === upstream;
  if (isLast(entries[end - 1])) return end;
  const found = entries.findIndex(isLast);
  return found >= 0 ? found + 1 : Math.min(end, entries.length);
}

function unknownCursor(): OperationError {
  return new OperationError(
    'VALIDATION_INVALID_VALUE',
    "Parameter 'cursor' holds no cursor of this list. Leave it out to start over",
    { param_name: 'cursor', constraint: "the 'nextCursor' of an earlier page" },
  );
}
