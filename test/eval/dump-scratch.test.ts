import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { findGroupingParameter } from '../../src/catalog/classify/find-grouping-parameter.js';
import { findCorpus, isHeldOut, readCorpusTools, readLabels } from './corpus.js';
import { classifyCaptured } from './evaluate-classification.js';

test('x', () => {
  const dir = findCorpus()!;
  const labelled = new Set(readLabels(dir).map((l) => l.id));
  const out: string[] = [];
  const held = process.env.HELD === '1';
  const tools = readCorpusTools(dir);
  const t0 = performance.now();
  for (const t of tools) classifyCaptured(t, true);
  console.log('all', tools.length, performance.now() - t0);
  for (const t of tools) {
    if (isHeldOut(t.server) !== held) continue;
    const c = classifyCaptured(t, true);
    const s = classifyCaptured(t, false);
    const g = findGroupingParameter(t.tool);
    const d = String(t.tool.description ?? '')
      .replace(/\s+/g, ' ')
      .slice(0, 150);
    out.push(
      [
        labelled.has(t.id) ? 'L' : 'U',
        c.category,
        c.danger.level,
        c.confidence,
        s.category,
        s.danger.level,
        g?.parameter ?? '-',
        t.id.split('__').at(-1),
        d,
        c.evidence.join(' ; '),
      ].join('\t'),
    );
  }
  writeFileSync(`/tmp/cls/dump${held ? '-held' : ''}.tsv`, out.join('\n'));
});
