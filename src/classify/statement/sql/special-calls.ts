/** What the calls with a grammar of their own are read with. */
export interface CallParts {
  readonly expression: () => void;
  readonly expressions: () => void;
  readonly operand: () => void;
  readonly type: () => void;
  readonly takes: (...words: readonly string[]) => boolean;
  readonly takesComma: () => boolean;
  readonly needs: (...words: readonly string[]) => void;
  readonly word: () => void;
}

/** Calls whose arguments are no list; each of them is the same in every dialect that has it. */
export const SPECIAL_CALLS: ReadonlyMap<string, (parts: CallParts) => void> = new Map<
  string,
  (parts: CallParts) => void
>([
  [
    'cast',
    ({ expression, needs, type }) => {
      expression();
      needs('as');
      type();
    },
  ],
  [
    'convert',
    ({ expression, takes, takesComma, needs, type, word }) => {
      expression();
      if (takesComma()) type();
      else {
        if (!takes('using')) needs('as');
        word();
      }
    },
  ],
  [
    'extract',
    ({ word, needs, expression }) => {
      word();
      needs('from');
      expression();
    },
  ],
  [
    'position',
    ({ operand, needs }) => {
      operand();
      needs('in');
      operand();
    },
  ],
  ['substring', readSubstring],
  ['substr', readSubstring],
  ['overlay', readSubstring],
  [
    'trim',
    ({ takes, expressions }) => {
      if (!takes('both') && !takes('leading')) takes('trailing');
      if (takes('from')) return expressions();
      expressions();
      if (takes('from')) expressions();
    },
  ],
  ['row', ({ expressions }) => expressions()],
]);

function readSubstring({ expressions, expression, takes }: CallParts): void {
  expressions();
  if (takes('placing')) expression();
  if (takes('from')) expression();
  if (takes('for')) expression();
}
