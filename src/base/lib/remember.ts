/** Servers use the same words: of ten names nine have been looked at before. A large catalog has 5,000 names, each of which is read several times. */
const MOST = 20_000;
const LONGEST = 100;

/** A pure function of a text that remembers what it gave for short ones; it forgets all of them rather than keeping more than 20,000. */
export function rememberTexts<T>(compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined || known.has(text)) return before as T;
    const computed = compute(text);
    if (text.length > LONGEST) return computed;
    if (known.size >= MOST) known.clear();
    known.set(text, computed);
    return computed;
  };
}
