import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Alerts {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[];
}

it('the documentation says of each alert what it means and what to do, and of no other', () => {
  const { groups } = parse(read('deploy/prometheus/alerts.yaml')) as Alerts;
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const rows = [...read('docs/observability.md').matchAll(/^\| `(McpAql\w+)` \|(?: [^|]+ \|){3}$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(alerts);
});
