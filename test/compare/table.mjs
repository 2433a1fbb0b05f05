import { readFileSync, writeFileSync } from 'node:fs';

const BEGIN = '<!-- compare:begin -->';
const END = '<!-- compare:end -->';

/** Puts the table of results into the page, between its marks. */
export function writeTable(page, results) {
  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const [, after] = (rest ?? '').split(END);
  if (after === undefined) throw new Error(`${page} has no place for the table: ${BEGIN} and ${END}`);
  writeFileSync(page, `${before}${BEGIN}\n${tableOf(results)}\n${END}${after}`);
}

function tableOf(results) {
  const head = [
    '| server | version | compared on | listed | asked | not the same, as documented | not documented |',
    '| --- | --- | --- | --- | --- | --- | --- |',
  ];
  return [...head, ...results.map(rowOf)].join('\n');
}

function rowOf({ server, version, date, problem, compared, differences }) {
  if (problem !== undefined) return `| ${server} | ${version} | ${date} | not compared: ${problem} | | | |`;
  const counted = differences.filter(({ kind }) => kind !== 'slower');
  const open = counted.filter(({ decision }) => decision === undefined);
  const decided = counted.filter(({ decision }) => decision !== undefined);
  const pages = [...new Set(decided.map(({ decision }) => linkTo(decision)))].sort();
  const documented = decided.length === 0 ? '0' : `${decided.length} (${pages.join(', ')})`;
  return `| ${server} | ${version} | ${date} | ${compared.listed} | ${compared.calls} | ${documented} | ${open.length} |`;
}

function linkTo(decision) {
  const file = decision.replace(/^docs\//, '');
  return `[${file.replace(/\.md$/, '')}](${file})`;
}
