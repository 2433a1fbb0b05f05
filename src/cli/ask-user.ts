import { createInterface } from 'node:readline/promises';
import type { UserChannel } from '../protocol/consent.js';
import type { Terminal } from './terminal.js';

/** Whoever sits at the terminal, as the person who is asked; absent where nobody does. */
export function terminalUser(terminal: Terminal): UserChannel | undefined {
  if (process.stdin.isTTY !== true || terminal.err.isTTY !== true) return undefined;
  return {
    kind: 'live',
    async ask(question, cancellation) {
      const abort = new AbortController();
      cancellation.onCancel(() => abort.abort());
      const lines = createInterface({ input: process.stdin, output: terminal.err });
      try {
        const answer = await lines.question(`${question}\nApprove? [y/N] `, { signal: abort.signal });
        return /^y(es)?$/i.test(answer.trim()) ? 'accept' : 'decline';
      } finally {
        lines.close();
      }
    },
  };
}
