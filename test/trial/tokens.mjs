import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GATEWAY } from '../bench/process/programs.mjs';
import { renderTable } from '../bench/report/render-table.mjs';

/** The corpus of real catalogues, which is not part of the repository. */
const CORPUS = fileURLToPath(new URL('../../../shared/corpus/tools/', import.meta.url));

/** Prints the tokens of registration, map, search, details and confirmation: for the trial's servers, and for the corpus. */
export function printTokens(toolsByServer, corpus = CORPUS) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-aql-trial-'));
  try {
    for (const [name, tools] of toolsByServer) writeFileSync(join(folder, `${name}.json`), JSON.stringify({ tools }));
    print(`Tokens (o200k_base) over ${toolsByServer.size} servers:`, folder);
    if (existsSync(corpus)) print(`The same over ${corpus}:`, corpus);
    else process.stdout.write(`No corpus at ${corpus}: skipped (--from FOLDER names another)\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function print(title, folder) {
  const args = [GATEWAY, 'tokens', '--json', '--from', folder];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tokens failed: ${stderr}`);
  const { discrete, semantic, single, map, list_page: page, search, detail } = JSON.parse(stdout);
  const rows = [
    [`the ${discrete.tools} tools themselves`, discrete.tokens, discrete.tokens],
    ['registration, five semantic tools', semantic.tokens, semantic.tokens],
    ['registration, single mcp_aql', single.tokens, single.tokens],
    [`the map of ${map.upstreams} servers`, map.tokens, map.tokens],
    [`a page of ${page.operations} operations`, page.tokens, page.tokens],
    ['a search', search.median, search.max],
    ['details of an operation', detail.median, detail.max],
  ];
  process.stdout.write(`${title}\n\n${renderTable(['what', 'median', 'most'], rows)}\n\n`);
}
