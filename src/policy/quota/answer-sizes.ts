import type { Operation } from '../../protocol/operation.js';

/** An estimate, which the specification's companion documents leave open: a token of text is about four characters. */
const CHARACTERS_PER_TOKEN = 4;

/** By how much the largest answer counts less with each further one: half after some thirty. */
const FADING = 0.98;

/** Of the operations that were ever called; servers may rename theirs without end. */
const MOST_OPERATIONS = 10_000;

export function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** How large the answers of operations are, to reserve as much for the next. */
export class AnswerSizes {
  /** By qualified name. */
  readonly #largest = new Map<string, number>();
  readonly #mostBytes: number;

  /** @param mostBytes what an answer may have at most */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  learn({ qualifiedName }: Operation, tokens: number): void {
    const before = this.#largest.get(qualifiedName);
    const [oldest] = this.#largest.keys();
    if (before === undefined && this.#largest.size >= MOST_OPERATIONS) this.#largest.delete(oldest ?? '');
    this.#largest.set(qualifiedName, Math.max(tokens, (before ?? 0) * FADING));
  }

  /** In tokens: as much as the recent answers had, at most what any answer may have, which is also what a first one is taken for. */
  expect({ qualifiedName }: Operation, answerBytes: number = this.#mostBytes): number {
    const most = tokensOf(Math.min(answerBytes, this.#mostBytes));
    return Math.ceil(Math.min(this.#largest.get(qualifiedName) ?? most, most));
  }
}
