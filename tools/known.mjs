// Proposes labels for a server's tools, for src/classify/known/servers.txt; docs/known-servers.md tells how they are reviewed.
//
//   npm run known -- --add NAME COMMAND [ARGUMENTS ...]   starts the server, which answers on stdio
//   npm run known -- --add NAME --from FILE               takes a captured answer to tools/list
//   npm run known                                         counts what is reviewed and what is only proposed
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const DATA = 'src/classify/known/servers.txt';
const UPSTREAM = 'known';
const USAGE = 'usage: npm run known -- --add NAME (COMMAND [ARGUMENTS ...] | --from FILE)';
/** Of a fingerprint, so many hexadecimal digits behind its prefix are kept. */
const DIGITS = 32;

const [option, name, ...rest] = process.argv.slice(2);
if (option === undefined) count();
else if (option !== '--add' || name === undefined || rest.length === 0) fail(USAGE);
else add(name.trim(), rest);

function count() {
  const lines = readFileSync(DATA, 'utf8').split('\n');
  const of = (sign) => lines.filter((line) => sign.test(line)).length;
  say(`${of(/^@ /)} servers, ${of(/^[A-Z]+ /)} reviewed tools, ${of(/^\? /)} proposed`);
}

function add(server, source) {
  const folder = mkdtempSync(join(tmpdir(), 'known-'));
  try {
    const known = new Set(readFileSync(DATA, 'utf8').split('\n').flatMap(digestOf));
    const lines = propose(folder, source).filter((line) => digestOf(line).every((digest) => !known.has(digest)));
    if (lines.length === 0) return say('Nothing to propose: each of its definitions is in the file.');
    const text = readFileSync(DATA, 'utf8');
    const comma = text.endsWith('\n') ? '' : '\n';
    writeFileSync(DATA, `${text}${comma}\n@ ${server}\n${lines.join('\n')}\n`);
    say(
      `${lines.length} tools proposed at the end of ${DATA}. Read each one, correct its line, and take '? ' and the remark away;`,
    );
    say('remove the lines of those that are doubtful, and move the section to its place.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function digestOf(line) {
  return line.match(/(?<= )[0-9a-f]{32}(?= )/) ?? [];
}

/** What the gateway finds by its rules, the least certain first. */
function propose(folder, source) {
  const isCaptured = source[0] === '--from';
  const [command, ...args] = source;
  const servers = isCaptured ? {} : { [UPSTREAM]: { command, args, cwd: process.cwd() } };
  writeFileSync(join(folder, 'gateway.config.json'), JSON.stringify({ mcpServers: servers }));
  const captured = join(folder, `${UPSTREAM}.json`);
  if (isCaptured) writeFileSync(captured, readFileSync(resolve(source[1] ?? '')));
  const from = isCaptured ? ['--from', captured] : [];
  run(folder, ['lock', ...from]);
  const { upstreams } = JSON.parse(readFileSync(join(folder, 'gateway.lock.json'), 'utf8'));
  const sure = new Map(JSON.parse(run(folder, ['classify', '--json', ...from])).map((each) => [each.tool, each]));
  return Object.entries(upstreams[UPSTREAM] ?? {})
    .flatMap(([tool, { fingerprint, operations }]) => {
      const all = Object.values(operations);
      // What is offered in parts is judged by its values.
      if (all.length !== 1) return [];
      const [{ category, danger }] = all;
      const { confidence, evidence } = sure.get(tool) ?? { confidence: 0, evidence: [] };
      const digest = fingerprint.slice(fingerprint.indexOf(':') + 1).slice(0, DIGITS);
      return [{ confidence, line: `? ${category} ${danger} ${digest} ${tool} # ${confidence}: ${evidence[0] ?? ''}` }];
    })
    .sort((one, other) => one.confidence - other.confidence)
    .map(({ line }) => line);
}

function run(folder, args) {
  const program = resolve('dist/cli/main.js');
  const config = join(folder, 'gateway.config.json');
  const ran = spawnSync(process.execPath, [program, ...args, '--config', config], { cwd: folder, encoding: 'utf8' });
  if (ran.status === 0) return ran.stdout;
  return fail(ran.stderr || ran.stdout);
}

function fail(text) {
  process.stderr.write(`${text.trim()}\n`);
  process.exit(1);
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
