const LINE_WIDTH = 120;

/** JSON text as the project's formatter writes it, so that generated files pass it: short lists stay on one line. */
export function renderJson(value: unknown): string {
  return `${renderValue(value, '', 0)}\n`;
}

/** @param before characters that stand before the value on its line, beyond the indent. */
function renderValue(value: unknown, indent: string, before: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (!Array.isArray(value)) {
    const members = Object.entries(value).map(([key, member]) => {
      const head = `${JSON.stringify(key)}: `;
      return `${inner}${head}${renderValue(member, inner, head.length)}`;
    });
    return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
  }
  const items = value.map((item) => renderValue(item, inner, 0));
  const line = `[${items.join(', ')}]`;
  // One more for the comma that may follow.
  const fits = !line.includes('\n') && indent.length + before + line.length + 1 <= LINE_WIDTH;
  return fits ? line : `[\n${items.map((item) => `${inner}${item}`).join(',\n')}\n${indent}]`;
}
