import { test } from 'vitest';
import { readFileSync } from 'node:fs';
import { classifyTool } from '../../src/catalog/classify/classify-tool.js';
import { toSnakeCase } from '../../src/catalog/operation-name.js';
test('g', () => {
  for (const mode of ['full', 'name']) {
    let n = 0, bad = 0;
    for (const l of readFileSync('/tmp/cls/gen.txt', 'utf8').trim().split('\n')) {
      const [name, acc, desc] = l.split('|') as [string, string, string];
      const c = classifyTool({ tool: { name, ...(mode === 'full' ? { description: desc } : {}) , inputSchema: {type:'object', properties: /command|sql|script|code|query/i.test(desc) ? {command:{type:'string'},query:{type:'string'},code:{type:'string'}} : {} } }, name: toSnakeCase(name), upstream: { slug: 'x', trust: 'validated' }, curation: {}, ignoreAnnotations: true });
      n++;
      const a = acc.split(',');
      if (a.includes('?')) { if (mode==='full') console.log('??', name, c.category, desc); continue; }
      if (!a.includes(c.category)) { bad++; if (mode === 'full' || (c.category === 'READ')) console.log(mode, name, acc, '->', c.category, c.danger.level, c.confidence, c.evidence.slice(0,4).join(' ; '), '|', desc); }
    }
    console.log(mode, n, bad);
  }
});
