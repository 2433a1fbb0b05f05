/** A Markdown table with aligned columns; cells that are numbers stand on the right. */
export function renderTable(header, rows) {
  const cells = rows.map((row) => row.map(String));
  const widths = header.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column].length)));
  const rightAligned = header.map((_, column) =>
    cells.every((row) => !/^[A-Za-z]/.test(row[column]) || row[column] === 'never'),
  );
  const pad = (text, column) => (rightAligned[column] ? text.padStart(widths[column]) : text.padEnd(widths[column]));
  const line = (row) => `| ${row.map(pad).join(' | ')} |`;
  const rule = widths.map((width, column) => (rightAligned[column] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return [line(header), `| ${rule.join(' | ')} |`, ...cells.map(line)].join('\n');
}
