const NEWLINE = 0x0a;

export interface LineLimits {
  /** Bytes a line may have. */
  readonly maxBytes: number;
  /** Told at most once for a line that is longer; the rest of that line is dropped. */
  readonly onOverflow: (start: Buffer) => void;
}

/**
 * Cuts a byte stream into lines and hands each over as text, without its line feed. Bytes are only decoded once a line is
 * complete, so that a character split over two chunks survives; `readline` would cost a string and a regular expression a chunk.
 *
 * @returns takes the next chunk.
 */
export function splitLines(onLine: (line: string) => void, limits: LineLimits): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  let skipping = false;

  const hold = (part: Buffer): void => {
    if (skipping || part.length === 0) return;
    parts.push(part);
    held += part.length;
    if (held <= limits.maxBytes) return;
    skipping = true;
    const start = Buffer.concat(parts);
    parts = [];
    limits.onOverflow(start);
  };
  const finish = (): void => {
    const [first] = parts;
    if (first !== undefined) onLine((parts.length === 1 ? first : Buffer.concat(parts)).toString('utf8'));
    parts = [];
    held = 0;
    skipping = false;
  };

  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      hold(chunk.subarray(from, at));
      finish();
      from = at + 1;
    }
    hold(from === 0 ? chunk : chunk.subarray(from));
  };
}
