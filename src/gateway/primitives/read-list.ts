import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { measureJson } from '../../base/json/measure.js';
import { cleanLabel } from '../../base/lib/text.js';
import { Pauses } from '../../base/pauses/pauses.js';
import { LONGEST_DEFINITION } from '../../base/protocol/tools.js';
import { readEntry } from './read-entry.js';

/** One entry of a list, as its upstream sent it. */
export interface Entry {
  /** The URI, the template or the name by which the upstream knows it. */
  readonly id: string;
  readonly value: JsonObject;
}

/** A list of MCP that an upstream gives in pages. */
export interface ListSource {
  readonly method: string;
  /** The member of the result that holds the entries. */
  readonly member: string;
  /** The member of an entry that identifies it. */
  readonly key: string;
  /** The member that says what it is; `name` where absent. */
  readonly about?: 'frontmatter';
  /** The most entries that are read. */
  readonly most: number;
}

export interface ListReading {
  readonly entries: readonly Entry[];
  /** Equal for equal lists. */
  readonly digest: string;
  /** What was odd about the list. */
  readonly diagnostics: readonly string[];
  /** So many milliseconds the server lets it be kept, by its page that may be kept shortest; undefined where it does not say. */
  readonly ttlMs: number | undefined;
}

/** The most that is read of one list. */
const MOST_CHARACTERS = 8_000_000;
const MOST_PAGES = 1_000;

/** A longer URI, template or name is no name for anybody. */
const LONGEST_ID = 4_096;

/**
 * Reads all pages of a list.
 * @param request sends one request for a page with these parameters
 * @param era of the server: the empty string is a cursor in 2026-07-28, and the end for many servers before
 */
export async function readList(
  source: ListSource,
  request: (params: JsonObject) => Promise<JsonObject>,
  era: 'legacy' | 'modern' = 'legacy',
): Promise<ListReading> {
  const reading = new Reading(source);
  const cursors = new Set<string>();
  let params: JsonObject = {};
  for (let page = 1; ; page += 1) {
    const result = await request(params);
    reading.noteTtl(result['ttlMs']);
    const some = result[source.member];
    if (!Array.isArray(some)) reading.note(`holds no list of ${source.member}`);
    else if (!(await reading.take(some))) break;
    const { nextCursor } = result;
    // The end is the absence of a cursor, but null is common too.
    if (typeof nextCursor !== 'string' || (nextCursor === '' && era === 'legacy')) break;
    const fault = cursors.has(nextCursor)
      ? 'came back to a page that it had sent'
      : page === MOST_PAGES
        ? `has more than ${MOST_PAGES} pages`
        : undefined;
    if (fault !== undefined) {
      reading.note(`${fault}; the rest was not read`);
      break;
    }
    cursors.add(nextCursor);
    params = { cursor: nextCursor };
  }
  return reading.finish();
}

class Reading {
  readonly #source: ListSource;
  readonly #entries = new Map<string, Entry>();
  readonly #digest = createHash('sha256');
  readonly #notes: string[] = [];
  #characters = 0;
  #dropped = 0;
  #ttlMs: number | undefined;
  #firstFault: string | undefined;

  constructor(source: ListSource) {
    this.#source = source;
  }

  note(what: string): void {
    this.#notes.push(`its '${this.#source.method}' ${what}`);
  }

  /** Servers of 2026-07-28 say how long a page may be kept. */
  noteTtl(ttlMs: unknown): void {
    if (typeof ttlMs === 'number' && ttlMs >= 0) this.#ttlMs = Math.min(ttlMs, this.#ttlMs ?? ttlMs);
  }

  /** Takes the entries of a page. False where the list is full. */
  async take(values: readonly unknown[]): Promise<boolean> {
    const pauses = new Pauses();
    for (const value of values) {
      await pauses.due();
      const length = measureJson(value, LONGEST_DEFINITION);
      const fault = length > LONGEST_DEFINITION ? `has more than ${LONGEST_DEFINITION} characters` : this.#add(value);
      if (fault !== undefined) {
        this.#dropped += 1;
        this.#firstFault ??= fault;
        continue;
      }
      this.#characters += length;
      if (this.#entries.size < this.#source.most && this.#characters < MOST_CHARACTERS) continue;
      this.note(`has ${this.#source.most} entries or ${MOST_CHARACTERS} characters and more; the rest was not read`);
      return false;
    }
    return true;
  }

  #add(value: unknown): string | undefined {
    const { key } = this.#source;
    if (!isJsonObject(value)) return 'is no object';
    const id = value[key];
    if (typeof id !== 'string' || id === '') return `has no '${key}'`;
    if (id.length > LONGEST_ID || !id.isWellFormed()) return `has a '${key}' that is too long or no Unicode text`;
    const { about = 'name' } = this.#source;
    const { [about]: said } = value;
    if (about === 'name' ? typeof said !== 'string' : !isJsonObject(said)) return `has no '${about}'`;
    if (typeof said === 'string' && said.length > LONGEST_ID)
      return `has a 'name' of more than ${LONGEST_ID} characters`;
    if (this.#entries.has(id)) return `repeats the '${key}' '${cleanLabel(id)}'`;
    const { kept, odd } = readEntry(value);
    if (odd.length > 0) this.#firstFault ??= `has a '${odd[0]}' of the wrong type, which is mended or left out`;
    this.#entries.set(id, { id, value: kept });
    this.#digest.update(JSON.stringify(kept));
    return undefined;
  }

  finish(): ListReading {
    if (this.#dropped > 0)
      this.note(`has ${this.#dropped} entries that are left out, of which the first ${this.#firstFault}`);
    else if (this.#firstFault !== undefined) this.note(`has an entry that ${this.#firstFault}`);
    return {
      entries: [...this.#entries.values()],
      digest: this.#digest.digest('base64'),
      diagnostics: this.#notes,
      ttlMs: this.#ttlMs,
    };
  }
}
