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
