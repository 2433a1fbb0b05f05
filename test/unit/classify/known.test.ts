import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fingerprintTool } from '../../../src/base/protocol/fingerprint-tool.js';
import { ToolRecord } from '../../../src/catalog/integrity/tool-record.js';
import { classifyTool } from '../../../src/classify/classify-tool.js';
import type { ClassificationInput } from '../../../src/classify/facts.js';
import {
  entriesOf,
  findKnown,
  type KnownTool,
  readKnownServers,
  recognizeServer,
} from '../../../src/classify/known.js';

const DATA = readFileSync(new URL('../../../src/classify/known/servers.txt', import.meta.url), 'utf8');

function classify(tool: object, known?: Partial<KnownTool>, more: Partial<ClassificationInput> = {}) {
  return classifyTool({
    tool: { inputSchema: { type: 'object' }, ...tool } as ClassificationInput['tool'],
    name: 'x',
    upstream: { slug: 'x', trust: 'untested' },
    curation: {},
    ignoreAnnotations: false,
    ...(known && { known: { server: 'ferry', category: 'READ', danger: 'safe', isChanged: false, ...known } }),
    ...more,
  });
}

describe('a reviewed definition', () => {
  const PURGE = { name: 'purge_cabins', description: 'Purges all cabins.' };

  test('decides category and danger above the rules, and says whose it is', () => {
    const found = classify(PURGE, { category: 'CREATE', danger: 'reversible' });
    expect(found).toMatchObject({ category: 'CREATE', danger: { level: 'reversible' }, known: 'ferry' });
    expect(found.evidence).toEqual(["known server 'ferry': this definition was reviewed as CREATE"]);
  });

  test('gives way to what an operator declares', () => {
    const declared = classify(PURGE, {}, { curation: { category: 'DELETE', danger: 'dangerous' } });
    expect(declared).toMatchObject({ category: 'DELETE', danger: { level: 'dangerous' }, confidence: 1 });
    expect(declared.known).toBeUndefined();
  });

  test('leaves the danger of arguments to the call', () => {
    const tool = {
      name: 'update_cabin',
      inputSchema: { type: 'object', properties: { id: { type: 'string' }, force: { type: 'boolean' } } },
    };
    const found = classify(tool, { category: 'UPDATE', danger: 'reversible' });
    expect(found.risks).toEqual([expect.objectContaining({ path: ['force'] })]);
  });

  test('never makes a READ of what runs whatever it is given', () => {
    const schema = { type: 'object', properties: { sql: { type: 'string' } }, required: ['sql'] };
    const runner = { name: 'get_rows', description: 'Runs SQL.', inputSchema: schema };
    expect(classify(runner, {})).toMatchObject({ category: 'EXECUTE', danger: { level: 'destructive' } });
    const actor = {
      name: 'berths',
      description: 'Works on berths.',
      inputSchema: { type: 'object', properties: { action: { type: 'string' }, params: { type: 'object' } } },
    };
    const known = classify(actor, { category: 'EXECUTE', danger: 'destructive' });
    expect(known).toMatchObject({ known: 'ferry', deciding: [{ parameter: 'action' }] });
  });
});

describe('a definition that has changed since its review', () => {
  test('is judged by the rules alone: the name of a known READ makes no READ', () => {
    const found = classify({ name: 'list_cabins', description: 'Deletes all cabins.' }, { isChanged: true });
    expect(found.category).not.toBe('READ');
    expect(found.known).toBeUndefined();
    expect(found.evidence[0]).toContain("known server 'ferry' has another definition of this tool");
  });

  test('is doubted where the former review said otherwise, and only then', () => {
    const list = { name: 'list_cabins', description: 'Lists cabins.' };
    const alone = classify(list);
    expect(alone.category).toBe('READ');
    expect(classify(list, { isChanged: true }).confidence).toBe(alone.confidence);
    const doubted = classify(list, { isChanged: true, category: 'DELETE', danger: 'destructive' });
    expect(doubted).toMatchObject({ category: 'READ' });
    expect(doubted.confidence).toBeLessThanOrEqual(0.5);
  });
});

describe('finding a definition', () => {
  const PROBLEM = {
    name: 'get-daily-challenge',
    inputSchema: {
      type: 'object',
      properties: {},
      additionalProperties: false,
      $schema: 'http://json-schema.org/draft-07/schema#',
    },
  };

  test('goes by every part of it, whatever the order of its members', () => {
    expect(findKnown(new ToolRecord(PROBLEM))).toMatchObject({ category: 'READ', danger: 'safe', isChanged: false });
    const { name, inputSchema } = PROBLEM;
    expect(findKnown(new ToolRecord({ inputSchema, name }))).toMatchObject({ isChanged: false });
    for (const change of [{ description: 'Lists.' }, { annotations: { readOnlyHint: true } }, { title: 'Daily' }])
      expect(findKnown(new ToolRecord({ ...PROBLEM, ...change }))).toBeUndefined();
  });

  test('a server is taken for a known one by the names of its tools, which only makes a changed definition a hint', () => {
    const names = ['get-daily-challenge', 'get-problem', 'search-problems', 'get-contest-details'];
    const server = recognizeServer(names.map((name) => ({ name })));
    expect(server).toBe('leetcode-mcp');
    expect(findKnown(new ToolRecord({ ...PROBLEM, description: 'Other.' }), server)).toMatchObject({ isChanged: true });
    expect(recognizeServer([{ name: 'get-problem' }, { name: 'search' }])).toBeUndefined();
  });
});

describe('the data', () => {
  test('is read, and each line that is neither an entry nor a proposal is told', () => {
    const digest = 'a'.repeat(32);
    const known = readKnownServers(
      `# x\n@ ferry 1.0\nREAD safe ${digest} list cabins\n? READ safe ${digest} y # 0.5\n\n@ canal\nDELETE destructive ${digest} list cabins`,
    );
    expect(entriesOf(known, 'list cabins')).toEqual([
      { server: 'ferry', category: 'READ', danger: 'safe', digest },
      { server: 'canal', category: 'DELETE', danger: 'destructive', digest },
    ]);
    expect([...known.sizes]).toEqual([
      ['ferry', 1],
      ['canal', 1],
    ]);
    expect(['y', 'cabins', 'ferry', ''].flatMap((name) => entriesOf(known, name))).toEqual([]);
    expect(() => entriesOf(readKnownServers(`@ ferry\nREAD harmless ${digest} x`), 'x')).toThrow(
      "'ferry READ harmless",
    );
    expect(() => entriesOf(readKnownServers(`READ safe ${digest} x`), 'x')).toThrow('is no entry');
  });

  test('has names, labels and digests alone, each definition once, and nothing that is only proposed', () => {
    const entries = DATA.split('\n').filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('@ '));
    expect(entries.filter((line) => !/^[A-Z]+ [a-z]+ [0-9a-f]{32} [\w./:-]+$/.test(line))).toEqual([]);
    const digests = entries.map((line) => line.split(' ')[2]);
    expect(digests.length).toBeGreaterThan(1000);
    const repeated = digests.filter((digest, index) => digests.indexOf(digest) !== index);
    expect(repeated).toEqual([]);
    expect(fingerprintTool({ name: 'x' })).toMatch(/^sha256\/2:[0-9a-f]{64}$/);
  });
});
