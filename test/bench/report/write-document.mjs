import { readFileSync, writeFileSync } from 'node:fs';

const DOCUMENT = new URL('../../../docs/performance.md', import.meta.url);

/**
 * Replaces what stands between the markers of docs/performance.md.
 * @param section whose markers; those of the whole measurement where absent
 */
export function writeDocument(report, section) {
  const name = section === undefined ? 'bench' : `bench:${section}`;
  const [opening, closing] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const text = readFileSync(DOCUMENT, 'utf8');
  const [begin, end] = [text.indexOf(opening), text.indexOf(closing)];
  if (begin < 0 || end < begin) throw new Error(`docs/performance.md has no ${opening} ... ${closing}`);
  writeFileSync(DOCUMENT, `${text.slice(0, begin + opening.length)}\n${report}${text.slice(end)}`);
}
