/** A list or an object seen alike: a row of parts that each stand under an index or a key. */
export interface Container {
  readonly kind: 'items' | 'members';
  readonly length: number;
  stepAt(index: number): string | number;
  valueAt(index: number): unknown;
}

/** @param value a JSON list or object */
export function openContainer(value: object): Container {
  if (Array.isArray(value)) {
    return { kind: 'items', length: value.length, stepAt: (index) => index, valueAt: (index) => value[index] };
  }
  const keys = Object.keys(value);
  const members = value as Readonly<Record<string, unknown>>;
  const keyAt = (index: number): string => keys[index] ?? '';
  return { kind: 'members', length: keys.length, stepAt: keyAt, valueAt: (index) => members[keyAt(index)] };
}

/** Whether there is something inside that could be left out. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The first parts of a container, each with its value as it now is, as a container of the same kind. */
export function rebuildContainer(
  kind: Container['kind'],
  parts: readonly { readonly step: string | number; readonly value: unknown }[],
): unknown {
  // Object.fromEntries defines members, so that a key `__proto__` is a key.
  return kind === 'items' ? parts.map(({ value }) => value) : Object.fromEntries(parts.map((p) => [p.step, p.value]));
}
