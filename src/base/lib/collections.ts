/** The items by key; keys and items keep their order. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Freezes a plain value and everything in it, and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/** A function of objects that never change, computed once for each; what was computed goes with its object. */
export function oncePer<Subject extends object, T>(compute: (subject: Subject) => T): (subject: Subject) => T {
  const known = new WeakMap<Subject, T>();
  return (subject) => {
    const before = known.get(subject);
    if (before !== undefined || known.has(subject)) return before as T;
    const computed = compute(subject);
    known.set(subject, computed);
    return computed;
  };
}

interface Kept<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** What is kept under a key; where nothing is, what is made, which is kept from then on. */
export function getOrMake<Key, Value>(kept: Kept<Key, Value>, key: Key, make: () => Value): Value {
  const before = kept.get(key);
  if (before !== undefined) return before;
  const made = make();
  kept.set(key, made);
  return made;
}

type AnyKey = string | number;

interface Entry<Key, Value> {
  readonly key: Key;
  readonly value: Value;
}

const LISTS = 64;
const LAST_LIST = LISTS - 1;

/**
 * A map whose entries stay briefly, as calls in flight do. A `Map` or `Set` that grows and shrinks leaves tables behind that
 * refer to their successors: once one of them is old, everything that enters later survives until the next full collection,
 * which made about half of the garbage collector's work under load. Here entries lie in short lists that stay; keys are best
 * consecutive numbers. The entries have no order.
 */
export class BriefMap<Key extends AnyKey, Value> {
  /** Made when they are first needed. */
  readonly #lists: (Entry<Key, Value>[] | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an entry; no other may have its key. */
  add(key: Key, value: Value): void {
    const at = listOf(key);
    while (this.#lists.length <= at) this.#lists.push(undefined);
    const list = this.#lists[at];
    if (list === undefined) this.#lists[at] = [{ key, value }];
    else list.push({ key, value });
    this.#size += 1;
  }

  get(key: Key): Value | undefined {
    const list = this.#lists[listOf(key)];
    // Reading at -1 would look for a member of that name.
    const at = list === undefined ? -1 : findIn(list, key);
    return at < 0 ? undefined : list?.[at]?.value;
  }

  /** Removes an entry and returns its value. */
  take(key: Key): Value | undefined {
    const list = this.#lists[listOf(key)];
    if (list === undefined) return undefined;
    const at = findIn(list, key);
    const entry = at < 0 ? undefined : list[at];
    if (entry === undefined) return undefined;
    const last = list.pop();
    if (last !== undefined && last !== entry) list[at] = last;
    this.#size -= 1;
    return entry.value;
  }

  values(): Value[] {
    return this.#lists.flatMap((list) => list?.map(({ value }) => value) ?? []);
  }

  entries(): Entry<Key, Value>[] {
    return this.#lists.flatMap((list) => list ?? []);
  }

  clear(): void {
    this.#lists.length = 0;
    this.#size = 0;
  }
}

/** The same for values without keys: each gets a number when it enters, by which it is taken out. */
export class BriefSet<Value> extends BriefMap<number, Value> {
  #next = 0;

  enter(value: Value): number {
    const number = this.#next;
    this.#next += 1;
    this.add(number, value);
    return number;
  }
}

/** Numbers that follow one another, also as texts, lie in different lists. */
function listOf(key: AnyKey): number {
  if (typeof key === 'number') return key & LAST_LIST;
  const { length } = key;
  return (length + key.charCodeAt(length - 1) * 7 + key.charCodeAt(length - 2) * 3) & LAST_LIST;
}

function findIn(list: readonly { readonly key: AnyKey }[], key: AnyKey): number {
  for (let at = 0; at < list.length; at += 1) if (list[at]?.key === key) return at;
  return -1;
}

/** The latest of the entries that were set. */
export class RecentMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#max && oldest !== undefined) this.#entries.delete(oldest);
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** The value, which is then forgotten. */
  take(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }
}

/** More than a grouped tool has parts, and less than a server or a caller can make with ever new lists and values. */
const MOST_KEPT = 200;

/** What is made of one thing under several keys, each once. */
export class Versions<T> {
  #kept: Map<string, T> | undefined;

  /** What is kept under a key, or what is made. */
  of(key: string, make: () => T): T {
    this.#kept ??= new Map();
    if (this.#kept.size >= MOST_KEPT && !this.#kept.has(key)) this.#kept.clear();
    return getOrMake(this.#kept, key, make);
  }
}
