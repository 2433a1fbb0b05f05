import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../src/base/lib/collections.js';
import type { CapturedList } from '../../src/gateway/captured-gateway.js';
import type { SearchCase } from './evaluate-search.js';
import { type OwnTool, readOwnSet } from './own-set.js';

const FOLDER = join(import.meta.dirname, 'search');

/** The tool lists of `search/tools.txt`, as servers would answer `tools/list`. */
export function readOwnServers(): readonly CapturedList[] {
  const [, ...sections] = readFileSync(join(FOLDER, 'tools.txt'), 'utf8').split(/^\[/m);
  return sections.map((section) => {
    const [name = '', ...lines] = section.trim().split('\n');
    return { name: name.replace(']', ''), json: { tools: lines.filter((line) => line !== '').map(readTool) } };
  });
}

/** A line such as `read_file(path, lines?): Read a text file.` */
function readTool(line: string): object {
  const [, name, list = '', description] = /^(\w+)\((.*?)\): (.+)$/.exec(line) ?? [];
  if (name === undefined) throw new Error(`no tool: ${line}`);
  const parameters = list.split(', ').filter((parameter) => parameter !== '');
  return {
    name,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(parameters.map((parameter) => [parameter.replace('?', ''), { type: 'string' }])),
      required: parameters.filter((parameter) => !parameter.endsWith('?')),
    },
  };
}

/** The requests of `search/requests.tsv`. */
export function readOwnCases(): readonly SearchCase[] {
  const [, ...rows] = readFileSync(join(FOLDER, 'requests.tsv'), 'utf8').trim().split('\n');
  return rows.map((row) => {
    const [kind, query = '', tools = ''] = row.split('\t');
    return { kind: kind === 'plain' ? 'plain' : 'reworded', query, gold: new Set(tools.split(' ')) };
  });
}

/** The tool lists of the servers of `own-set/invented.tsv`, which are in as many fields as there are servers. */
export function readInventedServers(): readonly CapturedList[] {
  return listServers(readOwnSet('invented.tsv'));
}

/** The tool lists of the servers of `own-set/fresh.tsv` and `own-set/trades.tsv`: 50 trades and crafts. */
export function readTradesServers(): readonly CapturedList[] {
  return listServers([...readOwnSet('fresh.tsv'), ...readOwnSet('trades.tsv')]);
}

function listServers(tools: readonly OwnTool[]): readonly CapturedList[] {
  const servers = groupBy(tools, ({ label }) => label.server);
  return [...servers].map(([name, own]) => ({ name, json: { tools: own.map(({ tool }) => tool.tool) } }));
}

/** Requests for the servers of 50 trades, written down before any was searched for. */
export function readTradesCases(): readonly SearchCase[] {
  return readStyledCases('trades-requests.tsv');
}

/** Further requests for the captured servers, written down before any was searched for. */
export function readFurtherCases(): readonly SearchCase[] {
  return readStyledCases('captured-requests.tsv');
}

function readStyledCases(file: string): readonly SearchCase[] {
  const [, ...rows] = readFileSync(join(FOLDER, file), 'utf8').trim().split('\n');
  return rows.map((row) => {
    const [style, query = '', tools = ''] = row.split('\t');
    return { kind: style === 'reworded' ? 'reworded' : 'plain', query, gold: new Set(tools.split(' ')) };
  });
}

/** Requests in plain words for those servers, written down before any was searched for. */
export function readInventedCases(): readonly SearchCase[] {
  return readPlainCases('invented-requests.tsv');
}

function readPlainCases(file: string): readonly SearchCase[] {
  const [, ...rows] = readFileSync(join(FOLDER, file), 'utf8').trim().split('\n');
  return rows.map((row) => {
    const [query = '', tools = ''] = row.split('\t');
    return { kind: 'plain', query, gold: new Set(tools.split(' ')) };
  });
}

/** Requests of a team with 15 of the captured servers, written down before any was searched for. */
export function readTeamCases(): readonly SearchCase[] {
  return readPlainCases('team-requests.tsv');
}

/** Requests of such a team that none of its servers serves, written down at the same time. */
export function readTeamUnserved(): readonly string[] {
  return readFileSync(join(FOLDER, 'team-unserved.txt'), 'utf8').trim().split('\n');
}

/** Requests that nothing serves, neither of our own servers nor of the captured ones. */
export function readUnserved(): readonly string[] {
  return readFileSync(join(FOLDER, 'unserved.txt'), 'utf8').trim().split('\n');
}

/** Further requests that neither our own servers nor the captured ones serve, in as everyday words. */
export function readFurtherUnserved(): readonly string[] {
  return readFileSync(join(FOLDER, 'unserved-more.txt'), 'utf8').trim().split('\n');
}
