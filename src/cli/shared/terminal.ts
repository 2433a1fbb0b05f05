import colors from 'picocolors';
import { escapeInvisible } from '../../base/lib/text.js';

/** The streams that a command writes to; a test passes its own. */
export interface Terminal {
  readonly out: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly err: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Where people type; absent where nobody does. */
  readonly in?: Keyboard;
}

/** A terminal that can give each key as it is pressed. */
export type Keyboard = NodeJS.ReadableStream & {
  readonly isTTY?: boolean;
  readonly setRawMode?: (mode: boolean) => unknown;
};

export const PROCESS_TERMINAL: Terminal = { out: process.stdout, err: process.stderr, in: process.stdin };

const INTERRUPT = '\u0003';

/** Gives each key as it is pressed, until one is the last, the terminal closes or somebody interrupts. @param take whether it was the last */
export async function eachKey(keyboard: Keyboard, take: (key: string) => Promise<boolean>): Promise<void> {
  keyboard.setRawMode?.(true);
  try {
    for await (const chunk of keyboard) {
      for (const key of String(chunk)) if (key === INTERRUPT || (await take(key))) return;
    }
  } finally {
    keyboard.setRawMode?.(false);
  }
}

type Paint = ReturnType<typeof colors.createColors>;

/** Colours on a terminal that supports them, plain text elsewhere. */
export function paintFor(stream: Terminal['out']): Paint {
  return colors.createColors(stream.isTTY === true && colors.isColorSupported);
}

export function printLine(terminal: Terminal, text = ''): void {
  terminal.out.write(`${text}\n`);
}

/** One JSON document, indented: for people who pipe into a pager and for programs alike. */
export function printJson(terminal: Terminal, value: unknown): void {
  terminal.out.write(`${writeJson(value, 2)}\n`);
}

/** One JSON document as it is written already, with numbers that parsing would change. */
export function printJsonText(terminal: Terminal, json: string): void {
  terminal.out.write(`${escapeInvisible(json)}\n`);
}

/** JSON that controls no terminal: it leaves C1 and bidirectional characters as they are, and parsed the escapes are the same. */
export function writeJson(value: unknown, indent = 0): string {
  return escapeInvisible(JSON.stringify(value, null, indent));
}

/** One line on the error stream. The text may be foreign: it cannot break the line or control the terminal. */
export function printWarning(terminal: Terminal, text: string): void {
  terminal.err.write(`warning: ${oneLine(text)}\n`);
}

/**
 * Columns padded to their widest cell on a terminal, separated by tabs elsewhere so that `cut` works. Cells may be foreign
 * text: each is made safe for one line.
 */
export function printTable(terminal: Terminal, header: readonly string[], cells: readonly (readonly string[])[]): void {
  const rows = cells.map((row) => row.map(oneLine));
  if (terminal.out.isTTY !== true) {
    for (const row of rows) printLine(terminal, row.join('\t'));
    return;
  }
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const layOut = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const paint = paintFor(terminal.out);
  printLine(terminal, paint.bold(layOut(header)));
  for (const row of rows) printLine(terminal, layOut(row));
}

/** Makes foreign text safe for one line of the terminal: without control characters and line breaks. */
export function oneLine(text: string): string {
  return escapeInvisible(text.replace(/\s+/g, ' '));
}
