import type { JsonObject } from '../../base/json/json.js';
import type { Caller } from '../../base/protocol/call.js';
import type { CallerIdentity } from '../../base/protocol/caller.js';
import type { AnswerLimits } from '../../base/protocol/limits.js';
import type { Category, Operation } from '../../base/protocol/operation.js';
import type { OperationError } from '../../base/protocol/operation-error.js';
import type { Warning } from '../../base/protocol/result.js';
import type { Fault } from '../../schema/explain-violations.js';

/** What an operation's answers are, as far as is known. */
export type ResultShape =
  /** `path` leads to the list; empty where the answer is the list itself. */
  | { readonly kind: 'collection'; readonly path: FieldPath | null; readonly evidence: string }
  | { readonly kind: 'object' };

/** A field of a collection's items, dotted where it lies deeper, with its JSON type or `any`. */
export interface ItemField {
  readonly name: string;
  readonly type: string;
}

/** The controls an operation takes now, each under the name that callers use: `result_filter` where `filter` is the upstream's. */
export interface ControlSet {
  /** What the answers are declared to be; `none` where no controls are taken. */
  readonly kind: ResultShape['kind'] | 'none';
  readonly names: ReadonlyMap<Control, string>;
  /** The fields of the items, as far as a schema describes them; there may be others. */
  readonly fields?: readonly ItemField[];
  readonly computed?: readonly ComputedField[];
}

/** A call whose answer is processed. */
export interface ReadContext {
  readonly operation: Operation;
  /** Bound arguments. */
  readonly arguments: JsonObject;
  /** Those of the caller, where the gateway bounds the list further. */
  readonly asked?: JsonObject | undefined;
  readonly caller: Caller;
  /** The origins of what the answer is made of beside the operation's own. */
  readonly madeOf?: readonly string[] | undefined;
  /** How many tokens of data the answer may have, instead of the configured ones. */
  readonly answerTokens?: number | undefined;
}

/** The envelope's `data` as JSON text, with the warnings about it. */
export interface ReadData {
  readonly dataText: string;
  readonly warnings: readonly Warning[];
  /** Whether a query changed the answer, so that texts beside it that render the whole would undo the query. */
  readonly isPart?: boolean;
  /** Of a page of a stored list: the origins of what the list was made of beside the operation's own. */
  readonly madeOf?: readonly string[];
  /** Present where nothing is made yet: a thread makes the answer of this list. */
  readonly unmade?: DetachedList;
}

/** What `introspect {query: "result"}` asks of a stored result. */
export interface StoredResultRequest {
  readonly handle: string;
  /** Dotted, with indexes: `items[3].body`. */
  readonly path?: string;
  readonly fields?: string | readonly string[];
  /** A text to search for, in strings and lines. */
  readonly search?: string;
  /** How many items, and after which cursor. */
  readonly first?: number;
  readonly after?: string;
  /** `10-20`, from 1, of a text. */
  readonly lines?: string;
}

/** Everything that reading a part of a stored result takes, as plain data; see `readStoredPart`. */
export interface StoredPart {
  /** Its origin. */
  readonly operation: string;
  /** The JSON text of the whole result, in bytes. */
  readonly content: Uint8Array;
  readonly request: StoredResultRequest;
  /** Bound of the part's JSON text. */
  readonly maxTokens: number;
  readonly now: number;
}

/**
 * Calls the operation of an answer once more, as its caller, for another page of it. Resolves with the whole envelope as JSON text,
 * also where the call failed.
 * @param args in the upstream's spelling
 */
export type ReadPage = (args: JsonObject) => Promise<string>;

/** An upstream's answer as far as it is known without having been read. */
export interface UnreadAnswer {
  /** Of its JSON. */
  readonly dataBytes: number;
  /** Whether its JSON has so many tokens at most, by estimate; 0 for any number. */
  hasTokens(most: number): boolean;
}

/** Turns an upstream's answer into what the caller asked for. */
export interface ResultService {
  controlsOf(operation: Operation): ControlSet;
  /** How many tokens of data the answer may have, as estimated; 0 for any number. */
  boundOf(context: ReadContext): number;
  /** Separates the controls from the upstream's parameters. */
  takeControls(operation: Operation, params: JsonObject): TakenControls;
  /**
   * The page that a cursor asks for, from the snapshot that it was made over; undefined where the query has no cursor.
   * Throws when the cursor is not valid for this call, or has expired.
   * @param isReachable whether the caller may know of what has this origin
   */
  resume(
    context: ReadContext,
    query: CollectionQuery,
    isReachable: (origin: string) => boolean,
  ): ReadData | undefined | Promise<ReadData | undefined>;
  /**
   * What the caller gets of an upstream's answer: as it is, what was asked of it, or as much as fits with a way to the rest.
   * A query of many pages, which takes long, is left to a thread: then it is their list.
   * @param dataText the whole answer as JSON text
   * @param value the same as a value, where it came as one: large answers are not parsed twice
   * @param readPage reads further pages of the upstream, which a query of the whole list needs
   */
  finish(
    context: ReadContext,
    query: CollectionQuery | undefined,
    dataText: string,
    value?: unknown,
    readPage?: ReadPage,
  ): ReadData | Promise<ReadData>;
  /** Whether a query of an answer of so many bytes, or cutting it, takes so long that a thread has to do it. */
  takesLong(context: ReadContext, query: CollectionQuery | undefined, bytes: number): boolean;
  /**
   * Whether the caller gets an upstream's answer as it is, without its having to be read: nothing is asked of it, it fits, and
   * there is nothing to learn from it. The answer then does not come to `finish`.
   */
  passesUnread(context: ReadContext, query: CollectionQuery | undefined, answer: UnreadAnswer): boolean;
  /** What finishing an answer in another thread needs, as plain data. */
  detach(context: ReadContext): DetachedResults;
  /** Takes over what another thread has found and made; the answer is sent once it resolves, where it returns something. */
  attach(context: ReadContext, finished: FinishedElsewhere): Promise<unknown> | undefined;
  /** Takes a stored result from the replica that has it; undefined where there is nothing to wait for. */
  bring(handle: string, caller: Caller): Promise<void> | undefined;
  /** What reading a part of a stored result takes. Throws an `OperationError` where the caller has no such result. */
  storedPart(request: StoredResultRequest, caller: Caller): StoredPart;
  /** The origin of a stored result; undefined where the caller has no such result. */
  originOf(handle: string, caller: Caller): string | undefined;
  /** Keeps a text like a large answer, for one owner; resolves when other gateways can find it. Undefined where it is beyond the bound. */
  keep(text: string, of: KeptFor & { readonly operation: string }): Promise<string | undefined>;
  /** Takes a text from the gateway that has kept it; undefined where there is nothing to wait for. */
  bringKept(handle: string, of: KeptFor): Promise<unknown> | undefined;
  /** A text that is kept; undefined where it is gone, or another's. */
  kept(handle: string, owner: string): string | undefined;
  endSession(sessionId: string): void;
}

/** Whose a kept text is: a session's, or that of an owner with many sessions. */
export interface KeptFor {
  readonly owner: string;
  readonly caller: CallerIdentity;
}

/**
 * What a caller may ask of a READ beside its own parameters (companion document "collection querying", section 2).
 * `collection` is the gateway's: it says which list is meant of an answer that holds several.
 */
export const CONTROLS = [
  'query',
  'filter',
  'sort',
  'distinct',
  'fields',
  'preset',
  'aggregate',
  'include_items',
  'first',
  'after',
  'last',
  'before',
  'limit',
  'offset',
  'page',
  'page_size',
  'collection',
] as const;

export type Control = (typeof CONTROLS)[number];

/** Keys from the outside in: `settings.theme` is `['settings', 'theme']`. Through a list it means each of its elements. */
export type FieldPath = readonly string[];

/** A field that the operator declares, computed for each item (companion document "computed fields"). */
export interface ComputedField {
  readonly name: string;
  readonly description: string;
  readonly type: 'string' | 'number' | 'boolean';
  /** Never throws: what cannot be computed is null. @param now milliseconds since the epoch */
  readonly compute: (item: unknown, now: number) => string | number | boolean | null;
}

export type Operator = 'equals' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'exists' | 'pattern';

export interface Condition {
  readonly path: FieldPath;
  readonly operator: Operator;
  readonly operand: unknown;
}

export interface SortKey {
  readonly path: FieldPath;
  readonly order: 'asc' | 'desc';
}

/** OR over words and phrases, in any text of an item. */
export interface TextQuery {
  /** Lower-case; a phrase holds spaces. */
  readonly terms: readonly string[];
}

export interface FieldSelection {
  /** A preset's name, extended by the paths; undefined where only the paths count. */
  readonly preset?: string;
  readonly paths: readonly FieldPath[];
}

/** The functions of a field that an aggregation may have. */
export const FIELD_FUNCTIONS = ['sum', 'avg', 'min', 'max', 'distinct'] as const;

export type FieldFunction = (typeof FIELD_FUNCTIONS)[number];

export interface Aggregation extends Readonly<Partial<Record<FieldFunction, FieldPath>>> {
  readonly groupBy?: FieldPath;
  readonly count?: true;
}

/** Which part of the ordered items. Sizes are clamped, never refused. */
export type PageRequest =
  | { readonly style: 'all' }
  | { readonly style: 'forward'; readonly size: number; readonly after?: string }
  | { readonly style: 'backward'; readonly size: number; readonly before?: string }
  /** `page` where it was asked for by its number, from 1. */
  | { readonly style: 'offset'; readonly size: number; readonly offset: number; readonly page?: number };

/** A caller's controls once they are understood. */
export interface CollectionQuery {
  /** Leads to the list that is meant; found in the answer where absent. */
  readonly collection?: FieldPath;
  /** All must hold. */
  readonly filter: readonly Condition[];
  readonly text?: TextQuery;
  readonly sort: readonly SortKey[];
  /** Of the items in their order, the first of each value of this field. */
  readonly distinct?: FieldPath;
  readonly fields?: FieldSelection;
  /** By the caller's labels, in their order. */
  readonly aggregate?: readonly (readonly [label: string, aggregation: Aggregation])[];
  readonly includeItems: boolean;
  readonly page: PageRequest;
  /** The fields of the query that the operation's output schema declares. */
  readonly declared?: readonly string[];
  /** What the caller gave, and what a summary without items cannot follow. */
  readonly ineffective?: readonly string[];
}

/** A call's parameters, split into those for the upstream and those about its answer. */
interface TakenControls {
  readonly params: JsonObject;
  /** Absent where the call asks for the answer as it is. */
  readonly query?: CollectionQuery;
  /** Present where controls are wrong. */
  readonly refusal?: ControlRefusal;
}

/** Everything wrong with a call's controls. */
interface ControlRefusal {
  readonly faults: readonly Fault[];
  /** The answer where nothing else is wrong with the call; absent where it is worded like that of any faults. */
  readonly error?: OperationError;
}

/** What a thread without a result service needs to finish one answer. */
export interface DetachedResults {
  readonly settings: AnswerLimits;
  readonly controls: Pick<ControlSet, 'kind' | 'names'>;
  readonly shape: ResultShape | undefined;
  /** The fields that items of earlier answers had. */
  readonly seen: readonly string[];
  readonly signingKey: Uint8Array;
  readonly storedBytes: number;
  readonly now: number;
}

/** How a list was found in an answer. */
export interface FoundPlace {
  /** Leads to the list in `data`, or to the text whose lines it is; empty where the answer is the list itself. */
  readonly path: FieldPath;
  /** `list` is an array of the answer's, `json` one inside a text that is JSON; `lines` are a text's without the empty ones, `form` what was read of another form. */
  readonly evidence: 'list' | 'json' | 'lines' | 'form';
  /** Whether the list is the point of the answer, rather than a member of the one object that the answer is. */
  readonly isWhole: boolean;
  /** What the answer was read as, for the caller, where that is more than finding an array or the lines of a list: it may be none. */
  readonly readAs?: string;
}

/** A list that was read page by page, for a thread. */
export interface DetachedList {
  readonly place: FoundPlace;
  /** The JSON of the items of each page, and of the last page's answer. */
  readonly pages: readonly string[];
  readonly data: string;
  readonly missing?: MissingItems;
  readonly warnings: readonly Warning[];
}

/** What one answer shows of its operation's shape. */
export type SeenAnswer = (
  | { readonly kind: 'list'; readonly path: FieldPath }
  | { readonly kind: 'object' | 'message' }
) & {
  /** The fields of its items. */
  readonly fields?: readonly string[];
};

/** What is known of the items that a list lacks, because it is one page of an upstream's. */
export interface MissingItems {
  /** How many items there are, as the upstream says. */
  readonly total?: number | undefined;
  readonly warning: Warning;
}

/** Pages or a result that another thread has made, under the name by which its answer refers to them. */
export type StoredEntry =
  | {
      readonly kind: 'pages';
      readonly id: string;
      readonly snapshot: {
        readonly session: string;
        readonly operation: string;
        readonly question: string;
        readonly fields?: FieldSelection;
        readonly missing?: MissingItems;
      };
      readonly content: Uint8Array;
      readonly ends: Uint32Array;
    }
  | { readonly kind: 'result'; readonly id: string; readonly operation: string; readonly content: Uint8Array };

/** What such a thread leaves beside the answer. */
export interface FinishedElsewhere {
  readonly entries: readonly StoredEntry[];
  readonly learned?: SeenAnswer;
}

/** The category whose operations take controls. */
export const CONTROLLED: Category = 'READ';

const NO_CONTROLS: ControlSet = { kind: 'none', names: new Map() };

/** Passes every answer on unchanged: for captured catalogs and for tests of the stages before it. */
export const passResults: ResultService = {
  controlsOf: () => NO_CONTROLS,
  boundOf: () => 0,
  takeControls: (_operation, params) => ({ params }),
  resume: () => undefined,
  finish: (_context, _query, dataText) => ({ dataText, warnings: [] }),
  takesLong: () => false,
  passesUnread: () => true,
  detach: () => ({
    settings: { maxTokens: 0, keptBytes: 1, keptSeconds: 1, compact: false },
    controls: NO_CONTROLS,
    shape: undefined,
    seen: [],
    signingKey: new Uint8Array(),
    storedBytes: 1,
    now: 0,
  }),
  attach: () => undefined,
  bring: () => undefined,
  storedPart: (request) => ({ operation: '', content: Buffer.from('{}'), request, maxTokens: 1_024, now: 0 }),
  originOf: () => undefined,
  keep: async () => undefined,
  bringKept: () => undefined,
  kept: () => undefined,
  endSession: () => undefined,
};
