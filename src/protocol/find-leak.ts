/** The published conformance suite's patterns. The second is meant for stack frames, and finds "at" before any space. */
const LEAKS: readonly RegExp[] = [
  /TypeError|ReferenceError|SyntaxError/i,
  /at\s+\S+/i,
  /\/src\//i,
  /\/node_modules\//i,
  /\.[jt]s:\d+/i,
];

/**
 * The part of a message that the published suite takes for internals. Messages must not match (specification 10.1), the words of
 * servers in them neither: "the organization that owns it" reads as a frame there.
 */
export function findLeak(message: string): string | undefined {
  for (const pattern of LEAKS) {
    const found = pattern.exec(message);
    if (found !== null) return found[0];
  }
  return undefined;
}
