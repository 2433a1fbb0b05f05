import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load/load-config.js';
import { SECTIONS } from '../../src/modules/modules.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { runCli } from '../support/run-cli.js';
import { REPOSITORY } from '../support/served-gateway.js';

const FOLDER = join(REPOSITORY, 'docs/start');
const PAGES = readdirSync(FOLDER);
const textOf = (page: string): string => readFileSync(join(FOLDER, page), 'utf8');

/** A block by its info string, such as `sh run`: each with the rest of the info string and its text. */
function blocksOf(page: string, info: string): readonly (readonly [rest: string, text: string])[] {
  const found = textOf(page).matchAll(new RegExp(`\`\`\`${info} ?([^\\n]*)\\n(.*?)\`\`\``, 'gs'));
  return [...found].map(([, rest = '', text = '']) => [rest, text]);
}

/** The commands of a page that can be run here: those in `sh run` blocks. */
function commandsOf(page: string): readonly (readonly string[])[] {
  const lines = blocksOf(page, 'sh run').flatMap(([, text]) => text.trim().split('\n'));
  return lines.map((line) => line.replace(/^mcp-aql-gateway /, '').split(' '));
}

const WITH_COMMANDS = PAGES.filter((page) => commandsOf(page).length > 0);

/** What clients have before they meet the gateway. */
async function giveClients(home: string): Promise<void> {
  const servers = JSON.stringify({ mcpServers: { files: { command: 'mcp-server-filesystem', args: ['.'] } } });
  const files = ['.config/Claude/claude_desktop_config.json', '.claude.json', '.cursor/mcp.json'];
  for (const file of files) {
    await mkdir(dirname(join(home, file)), { recursive: true });
    await writeFile(join(home, file), servers);
  }
}

describe('a page of docs/start', () => {
  it('exists for each way to begin', () => {
    expect(PAGES).toEqual([
      'claude-code.md',
      'claude-desktop.md',
      'coming-from.md',
      'cursor-and-vscode.md',
      'docker-with-a-token.md',
      'kubernetes.md',
    ]);
  });

  it.each(PAGES)('links to what exists: %s', (page) => {
    const targets = [...textOf(page).matchAll(/\]\(([^)#:]+)(#[^)]*)?\)/g)].map(([, target = '']) => target);
    expect(targets.filter((target) => !existsSync(join(FOLDER, target)))).toEqual([]);
  });

  it.each(WITH_COMMANDS)('has commands that work, one after the other: %s', async (page) => {
    await using home = await makeDirectory();
    await using folder = await makeDirectory();
    await giveClients(home.path);
    for (const [name, text] of blocksOf(page, 'json file')) await writeFile(join(folder.path, name), text);
    const env = { HOME: home.path, XDG_CONFIG_HOME: join(home.path, '.config'), CODEX_HOME: home.path };
    for (const command of commandsOf(page)) {
      const { code, stdout, stderr } = await runCli(command, { cwd: folder.path, env });
      expect(code, `${command.join(' ')}\n${stdout}${stderr}`).toBe(0);
    }
  });

  it.each(PAGES.flatMap((page) => blocksOf(page, 'json config').map(([, text]) => [page, text] as const)))(
    'has a configuration without faults: %s',
    async (_page, text) => {
      await using folder = await makeDirectory();
      await writeFile(join(folder.path, 'gateway.config.json'), text);
      const { warnings } = await loadConfig({ cwd: folder.path, env: { DOCS_TOKEN: 'x' }, sections: SECTIONS });
      expect(warnings).toEqual([]);
    },
  );
});
