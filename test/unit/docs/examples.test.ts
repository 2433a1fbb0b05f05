import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { renderInitConfig } from '../../../src/config/edit/init-template.js';
import { loadConfig } from '../../../src/config/load/load-config.js';
import { SECTIONS } from '../../../src/modules/modules.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const ENV = { EVERYTHING_URL: 'http://everything:3001/mcp', GITHUB_TOKEN: 'x', DOCS_TOKEN: 'y' };

/** The README's example of a configuration. */
function readmeExample(): string {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  return /```json\n(\{\n {2}"\$schema".*?)```/s.exec(readme)?.[1] ?? '';
}

it.each([
  ['the shipped default', readFileSync(join(ROOT, 'gateway.config.json'), 'utf8')],
  ['the one for compose', readFileSync(join(ROOT, 'docs/docker/gateway.config.json'), 'utf8')],
  ["the README's", readmeExample()],
  ["init's", renderInitConfig('./schema.json')],
])('%s is a valid configuration without warnings', async (_what, text) => {
  const cwd = await mkdtemp(join(tmpdir(), 'aql-example-'));
  try {
    await writeFile(join(cwd, 'gateway.config.json'), text);
    const { config, warnings } = await loadConfig({ cwd, env: ENV, sections: SECTIONS });
    expect(warnings).toEqual([]);
    expect(config.upstreams.length).toBeGreaterThan(0);
  } finally {
    await rm(cwd, { recursive: true });
  }
});
