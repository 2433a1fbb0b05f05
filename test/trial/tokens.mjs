import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GATEWAY } from '../bench/process/programs.mjs';
import { renderTable } from '../bench/report/render-table.mjs';
import { countConfirmations } from './confirmations.mjs';

/** The corpus of real catalogues, which is not part of the repository. */
const CORPUS = fileURLToPath(new URL('../../../shared/corpus/tools/', import.meta.url));

/** Prints the tokens of registration, map, search, details and confirmation: for the trial's servers, and for the corpus. */
export async function printTokens(toolsByServer, corpus = CORPUS) {
  await print(toolsByServer);
  if (existsSync(corpus)) await print(readCorpus(corpus));
  else process.stdout.write(`No corpus at ${corpus}: skipped (--from FOLDER names another)\n`);
}

function readCorpus(folder) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return new Map(
    files.map((file) => [basename(file, '.json'), JSON.parse(readFileSync(join(folder, file), 'utf8')).tools]),
  );
}

async function print(toolsByServer) {
  const { discrete, semantic, single, map, list_page: page, search, detail } = countAnswers(toolsByServer);
  const confirmations = await countConfirmations(toolsByServer);
  const rows = [
    [`the ${discrete.tools} tools themselves`, discrete.tokens, discrete.tokens],
    ['registration, five semantic tools', semantic.tokens, semantic.tokens],
    ['registration, single mcp_aql', single.tokens, single.tokens],
    [`the map of ${map.upstreams} servers`, map.tokens, map.tokens],
    [`a page of ${page.operations} operations`, page.tokens, page.tokens],
    ['a search', search.median, search.max],
    ['details of an operation', detail.median, detail.max],
    ['a confirmation', confirmations[Math.floor(confirmations.length / 2)] ?? 0, confirmations.at(-1) ?? 0],
  ];
  const title = `Tokens (o200k_base) over ${toolsByServer.size} servers`;
  process.stdout.write(`${title}\n\n${renderTable(['what', 'median', 'most'], rows)}\n\n`);
}

/** What the command line counts, without servers. */
function countAnswers(toolsByServer) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-aql-trial-'));
  try {
    for (const [name, tools] of toolsByServer) writeFileSync(join(folder, `${name}.json`), JSON.stringify({ tools }));
    const args = [GATEWAY, 'tokens', '--json', '--from', folder];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`tokens failed: ${stderr}`);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
