import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { classifyTool } from '../../../src/classify/classify-tool.js';
import { exampleInput } from './tool-example.js';

/** The nine tools of server-memory by name, with what each does. */
const MEMORY = [
  ['create_entities', 'CREATE', 'reversible'],
  ['create_relations', 'CREATE', 'reversible'],
  ['add_observations', 'CREATE', 'reversible'],
  ['delete_entities', 'DELETE', 'destructive'],
  ['delete_observations', 'DELETE', 'destructive'],
  ['delete_relations', 'DELETE', 'destructive'],
  ['read_graph', 'READ', 'safe'],
  ['search_nodes', 'READ', 'safe'],
  ['open_nodes', 'READ', 'safe'],
] as const;

const curation: { readonly operations: Readonly<Record<string, { readonly category?: 'READ' }>> } = JSON.parse(
  readFileSync(new URL('../../../upstreams/memory.json', import.meta.url), 'utf8'),
);

describe('the shipped server-memory', () => {
  test.each(MEMORY)('%s is %s and %s, by its name and the shipped curation', (name, category, level) => {
    const declared = curation.operations[name]?.category;
    const input = exampleInput(name, {
      slug: 'memory',
      curation: declared === undefined ? {} : { category: declared },
    });
    const { danger, ...decided } = classifyTool(input);
    expect({ category: decided.category, level: danger.level }).toEqual({ category, level });
  });

  test('its curation names no other operations', () => {
    const names = new Set<string>(MEMORY.map(([name]) => name));
    expect(Object.keys(curation.operations).filter((name) => !names.has(name))).toEqual([]);
  });
});
