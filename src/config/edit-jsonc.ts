import jsonc, { type FormattingOptions } from 'jsonc-parser';
import { type JsonPath, valueAt } from '../lib/json-path.js';
import { parseJsonc } from './parse-jsonc.js';

/** Sets the value at a path; `undefined` removes it. */
export interface JsoncEdit {
  readonly path: JsonPath;
  readonly value: unknown;
}

/**
 * Changes values of a JSONC text and leaves the rest as it is written: comments, order, indentation and line ends.
 * @throws JsoncSyntaxError where the text cannot be read, and Error where a value has no place in what it holds
 */
export function editJsonc(text: string, edits: readonly JsoncEdit[]): string {
  const start = text.trim() === '' ? '{}\n' : text;
  const { value: document, duplicates } = parseJsonc(start);
  for (const { path } of edits) refuseUnclear(path, document, duplicates);
  const formattingOptions = formattingOf(start);
  return edits.reduce(
    (current, { path, value }) =>
      jsonc.applyEdits(current, jsonc.modify(current, [...path], value, { formattingOptions })),
    start,
  );
}

/** Programs read the last of two values with one key, and the change would be made in the first. */
function refuseUnclear(path: JsonPath, document: unknown, duplicates: readonly JsonPath[]): void {
  const twice = duplicates.find((each) => each.every((step, index) => step === path[index]));
  if (twice !== undefined) throw new Error(`'${twice.join('.')}' is in it twice; leave one of them`);
  for (let depth = 0; depth < path.length; depth += 1) {
    const parent = valueAt(document, path.slice(0, depth));
    const isFit = Array.isArray(parent)
      ? typeof path[depth] === 'number'
      : typeof parent === 'object' && parent !== null;
    if (parent === undefined || isFit) continue;
    throw new Error(`${depth === 0 ? 'its content' : `'${path.slice(0, depth).join('.')}'`} is not an object`);
  }
}

function formattingOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
