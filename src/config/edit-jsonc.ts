import jsonc, { type FormattingOptions } from 'jsonc-parser';
import type { JsonPath } from '../lib/json-path.js';
import { parseJsonc } from './parse-jsonc.js';

/** Sets the value at a path; `undefined` removes it. */
export interface JsoncEdit {
  readonly path: JsonPath;
  readonly value: unknown;
}

/**
 * Changes values of a JSONC text and leaves the rest as it is written: comments, order, indentation and line ends.
 * @throws JsoncSyntaxError where the text cannot be read
 */
export function editJsonc(text: string, edits: readonly JsoncEdit[]): string {
  const start = text.trim() === '' ? '{}\n' : text;
  parseJsonc(start);
  const formattingOptions = formattingOf(start);
  return edits.reduce(
    (current, { path, value }) =>
      jsonc.applyEdits(current, jsonc.modify(current, [...path], value, { formattingOptions })),
    start,
  );
}

function formattingOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
