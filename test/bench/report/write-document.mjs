import { readFileSync, writeFileSync } from 'node:fs';

const DOCUMENT = new URL('../../../docs/performance.md', import.meta.url);
const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

/** Replaces what stands between the markers of docs/performance.md. */
export function writeDocument(report) {
  const text = readFileSync(DOCUMENT, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/performance.md has no ${BEGIN} ... ${END}`);
  writeFileSync(DOCUMENT, `${text.slice(0, begin + BEGIN.length)}\n${report}${text.slice(end)}`);
}
