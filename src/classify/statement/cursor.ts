import { DEEPEST, NotProven, quote } from './not-proven.js';

/** A word in lower case, a quoted name as it reads, an operator. */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'parameter' | 'symbol' | 'end';
  readonly text: string;
  /** Where it begins, counted in characters from 1. */
  readonly at: number;
}

/** As names are compared: without regard to case. */
export const textOf = (token: Token | undefined): string => token?.text.toLowerCase() ?? '';

const END: Token = { kind: 'end', text: '', at: 0 };

/** Reads tokens one after the other and never goes back, so that the work of a proof grows with the text's length alone. */
export class Cursor {
  readonly #tokens: readonly Token[];
  #index = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  peek(ahead = 0): Token {
    return this.#tokens[this.#index + ahead] ?? this.#tokens.at(-1) ?? END;
  }

  next(): Token {
    const token = this.peek();
    this.#index += 1;
    return token;
  }

  /** Whether the next tokens are these words. */
  isAt(...words: readonly string[]): boolean {
    return words.every((word, ahead) => {
      const { kind, text } = this.peek(ahead);
      return kind === 'word' && text === word;
    });
  }

  isAnyOf(words: ReadonlySet<string>): boolean {
    const { kind, text } = this.peek();
    return kind === 'word' && words.has(text);
  }

  /** Takes these words where they come next. */
  takes(...words: readonly string[]): boolean {
    if (!this.isAt(...words)) return false;
    this.#index += words.length;
    return true;
  }

  takesAnyOf(words: ReadonlySet<string>): boolean {
    if (!this.isAnyOf(words)) return false;
    this.#index += 1;
    return true;
  }

  isSymbol(symbol: string, ahead = 0): boolean {
    const { kind, text } = this.peek(ahead);
    return kind === 'symbol' && text === symbol;
  }

  takesSymbol(symbol: string): boolean {
    if (!this.isSymbol(symbol)) return false;
    this.#index += 1;
    return true;
  }

  needs(...words: readonly string[]): void {
    if (!this.takes(...words)) this.refuse();
  }

  needsSymbol(symbol: string): void {
    if (!this.takesSymbol(symbol)) this.refuse();
  }

  /** What is read inside counts as one level deeper. */
  inside<Value>(read: () => Value): Value {
    if (this.#depth >= DEEPEST) throw new NotProven(`it is nested deeper than ${DEEPEST} levels`);
    this.#depth += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  /** Items until one is followed by no comma. */
  list(read: () => void): void {
    do read();
    while (this.takesSymbol(','));
  }

  refuse({ kind, text, at } = this.peek()): never {
    if (kind === 'end') throw new NotProven('it ends where more is expected');
    throw new NotProven(`${quote(text)} (character ${at}) is not part of a plain read`);
  }
}
