const [BACKSLASH, QUOTE, COMMA, COLON] = [0x5c, 0x22, 0x2c, 0x3a] as const;
const [OPEN_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x7b, 0x7d] as const;
const [ASCII, LATIN_LEAD] = [0x80, 0xc4] as const;

/**
 * Bytes that V8 takes: for an object (room for four members where it has none), for a list and its room, for a place in a list or
 * object with a number or the head of a text in it, and for a name that is not one of the last ones, with the shape of its object.
 */
const BYTES = { object: 24, emptyObject: 56, list: 56, place: 28, newName: 160 } as const;

/** Names that are remembered: records have fewer. */
const NAMES = 4_096;
const HASH_FACTOR = 31;

/**
 * About how many bytes of memory the values take that a JSON text is parsed to, the texts among them included: more than they do
 * take, up to four times as much. Texts are counted as if they were values, so that a JSON text within a JSON string counts too.
 */
export class TreeSize {
  #bytes = 0;
  #characters = 0;
  #isWide = false;
  /** Of what stands since the last quotation mark, and between the two before it: the name, where a colon comes next. */
  #hash = 0;
  #quoted = 0;
  readonly #names = new Int32Array(NAMES);
  #before = 0;

  add(piece: Uint8Array): this {
    let [bytes, hash, quoted, before] = [this.#bytes, this.#hash, this.#quoted, this.#before];
    let isWide = this.#isWide;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      switch (byte) {
        case QUOTE:
          quoted = hash;
          hash = 0;
          break;
        case BACKSLASH:
          continue;
        case COMMA:
          bytes += BYTES.place;
          break;
        case COLON:
          bytes += BYTES.place;
          if (before === QUOTE && this.#isNew(quoted)) bytes += BYTES.newName;
          break;
        case OPEN_LIST:
          bytes += BYTES.list;
          break;
        case OPEN_OBJECT:
          bytes += BYTES.object;
          break;
        case CLOSE_OBJECT:
          if (before === OPEN_OBJECT) bytes += BYTES.emptyObject - BYTES.object;
          break;
        default:
          if (byte >= ASCII) isWide ||= byte >= LATIN_LEAD;
          hash = (Math.imul(hash, HASH_FACTOR) + byte) | 0;
          if (byte <= SPACE) continue;
      }
      before = byte;
    }
    this.#characters += piece.length;
    [this.#bytes, this.#hash, this.#quoted, this.#before] = [bytes, hash, quoted, before];
    this.#isWide = isWide;
    return this;
  }

  /** A character that is no Latin letter makes each of its text take two bytes. */
  get bytes(): number {
    return this.#bytes + this.#characters * (this.#isWide ? 2 : 1);
  }

  #isNew(name: number): boolean {
    const place = (name ^ (name >>> 16)) & (NAMES - 1);
    if (this.#names[place] === name) return false;
    this.#names[place] = name;
    return true;
  }
}

const SPACE = 0x20;

/** The same for a text that is at hand. */
export function estimateTree(pieces: readonly Uint8Array[]): number {
  const size = new TreeSize();
  for (const piece of pieces) size.add(piece);
  return size.bytes;
}

/**
 * About how many characters the JSON text of a value has, counted no further than a bound: a value that nothing is known of may
 * be as long as a message. Without recursion, since it may be as deep.
 */
export function measureJson(value: unknown, most: number): number {
  let length = 0;
  const open: unknown[] = [value];
  // Lists are gone through item by item, so that a long one costs no more than the bound either.
  const lists: { readonly items: readonly unknown[]; next: number }[] = [];
  while (length <= most) {
    const list = lists.at(-1);
    if (open.length === 0) {
      if (list === undefined) break;
      if (list.next === list.items.length) lists.pop();
      else open.push(list.items[list.next++]);
      continue;
    }
    const next = open.pop();
    if (typeof next === 'string') length += next.length + 2;
    else if (Array.isArray(next)) {
      length += next.length;
      lists.push({ items: next, next: 0 });
    } else if (typeof next === 'object' && next !== null) length += openMembers(next, most - length, open);
    else length += 4;
  }
  return length;
}

/** The names are read one by one, so that a hundred thousand members cost no more than the bound. */
function openMembers(value: object, most: number, open: unknown[]): number {
  let length = 2;
  const members = value as Record<string, unknown>;
  for (const name in members) {
    length += name.length + 4;
    if (length > most) break;
    open.push(members[name]);
  }
  return length;
}
