import type { Sliced } from '../../lib/turns.js';
import type { ContentBlock, Reply } from '../../protocol/result.js';

/** Characters that are written in one step: some milliseconds where every one of them is escaped. */
const STEP_CHARACTERS = 64 * 1024;

/**
 * An envelope that is given in parts, as the text and, where it is long, as the bytes that servers send: written in steps, because all
 * results of a batch together may be as long as an answer may be, and each of them has waited for a turn of its own.
 */
export function* writeContent(
  parts: readonly string[],
  blocks: readonly ContentBlock[],
): Sliced<Pick<Reply, 'text' | 'written'>> {
  const characters = parts.reduce((sum, part) => sum + part.length, 0);
  if (characters <= STEP_CHARACTERS) return { text: parts.join('') };
  const pieces = new PieceWriter();
  pieces.add('[{"type":"text","text":"');
  for (const part of parts) {
    for (let at = 0; at < part.length; at += STEP_CHARACTERS) {
      // The halves of a character that stands over the cut are written as two escapes, which mean the same.
      pieces.add(JSON.stringify(part.slice(at, at + STEP_CHARACTERS)).slice(1, -1));
      yield;
    }
  }
  pieces.add('"}');
  for (const block of blocks) {
    pieces.add(`,${JSON.stringify(block)}`);
    yield;
  }
  pieces.add(']');
  return {
    get text() {
      return parts.join('');
    },
    written: pieces.take(),
  };
}

/** Collects short texts into pieces of some size: each piece costs a system call's entry. */
class PieceWriter {
  readonly #pieces: Buffer[] = [];
  #open = '';

  add(text: string): void {
    this.#open += text;
    if (this.#open.length >= STEP_CHARACTERS) this.#close();
  }

  take(): readonly Buffer[] {
    this.#close();
    return this.#pieces;
  }

  #close(): void {
    if (this.#open !== '') this.#pieces.push(Buffer.from(this.#open));
    this.#open = '';
  }
}
