import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EvidenceBundle } from '../../src/conformance/evidence.js';
import type { Judgement } from '../../src/conformance/judge.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { minutes } from '../support/patience.js';
import { judgeByPublishedRules, PUBLISHED_SCHEMAS } from '../support/published-rules.js';
import { runCli } from '../support/run-cli.js';
import { shippedConfig } from '../support/served-gateway.js';

const CLAIM = new URL('../../src/gateway/builtin/introspect/conformance-level.ts', import.meta.url);
const PAGE = new URL('../../docs/conformance.md', import.meta.url);

const BEGIN = '<!-- clauses: generated -->';
const END = '<!-- end of clauses -->';

/** Compares a file with what it should hold; UPDATE_DOCS=1 writes it first. */
function expectFile(file: URL, change: (text: string) => string): void {
  const wanted = change(readFileSync(file, 'utf8'));
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, wanted);
  expect(readFileSync(file, 'utf8')).toBe(wanted);
}

/** The clauses as a table for a page; case counts are left out, because they change with every server. */
function renderClauseTable({ clauses }: Judgement): string {
  const rows = clauses.map((clause) =>
    [
      clause.level,
      clause.strength,
      `\`${clause.id}\``,
      clause.demand,
      clause.section,
      clause.verdict,
      clause.note ?? '',
    ]
      .map((cell) => String(cell).replaceAll('|', '\\|'))
      .join(' | '),
  );
  return [
    '| level | strength | clause | demand | specification | verdict | note |',
    '| ----- | -------- | ------ | ------ | ------------- | ------- | ---- |',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}

describe('conformance over the servers of the shipped configuration', () => {
  let judgement: Judgement;
  let bundle: EvidenceBundle;
  let code: number | null;
  beforeAll(async () => {
    await using directory = await makeDirectory();
    writeFileSync(`${directory.path}/gateway.config.json`, JSON.stringify(shippedConfig()));
    const outcome = await runCli(['conformance', '--json', '--evidence', 'evidence.json'], { cwd: directory.path });
    code = outcome.code;
    judgement = JSON.parse(outcome.stdout) as Judgement;
    bundle = JSON.parse(readFileSync(`${directory.path}/evidence.json`, 'utf8')) as EvidenceBundle;
  }, minutes(5));

  it('is the level that introspection claims', () => {
    expectFile(CLAIM, (text) => text.replace(/= '(none|level-1|level-2)';/, `= '${judgement.level}';`));
  });

  it('is level 2, with an exit code that says so', () => {
    expect(judgement.clauses.filter(({ verdict }) => verdict === 'FAIL')).toEqual([]);
    expect(code).toBe(0);
    expect(bundle.expected_exit_code).toBe(0);
  });

  it('is what docs/conformance.md shows, clause by clause (UPDATE_DOCS=1 writes it)', () => {
    expectFile(PAGE, (text) => {
      const [before = '', rest = ''] = text.split(BEGIN);
      const [, after = ''] = rest.split(END);
      return `${before}${BEGIN}\n\n${renderClauseTable(judgement)}\n\n${END}${after}`;
    });
  });

  it('rests on cases for every operation to which a category applies', () => {
    const details = bundle.introspection.operation_details.map(({ name }) => name);
    const unknown = bundle.parameter_tests.unknown_parameter.map(({ operation }) => operation);
    expect([...unknown].sort()).toEqual([...details].sort());
    expect(Object.keys(bundle.accepted_parameters).sort()).toEqual([...details].sort());
    expect(judgement.notProbed).toEqual([]);
    expect(bundle.endpoint_modes).toEqual(['semantic', 'crude', 'single']);
  });

  it.skipIf(!existsSync(PUBLISHED_SCHEMAS))(
    'fails no rule of the published runner, with cases for each (skipped without ../shared/spec)',
    () => {
      const outcomes = judgeByPublishedRules(bundle);
      expect(outcomes.filter(({ cases }) => cases === 0).map(({ rule }) => rule)).toEqual([]);
      expect(outcomes.filter(({ faults }) => faults.length > 0)).toEqual([]);
    },
  );
});

it(
  'names operations the same in all evidence where a server never comes up',
  async () => {
    await using directory = await makeDirectory();
    const memory = { command: 'mcp-server-memory' };
    const dead = { command: process.execPath, args: ['-e', 'setTimeout(() => process.exit(1), 100)'] };
    writeFileSync(`${directory.path}/gateway.config.json`, JSON.stringify({ mcpServers: { memory, dead } }));
    const { stdout } = await runCli(['conformance', '--json'], { cwd: directory.path });
    expect((JSON.parse(stdout) as Judgement).level).toBe('level-2');
  },
  minutes(5),
);
