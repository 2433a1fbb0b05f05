import { test } from 'vitest';
import { findCorpus, isHeldOut, readCorpusTools, readLabels } from './corpus.js';
import { isDestructive, judgeTools, measureClassification, measureGrouping } from './evaluate-classification.js';

test('x', () => {
  const dir = findCorpus()!;
  const tools = readCorpusTools(dir);
  const held = process.env.HELD === '1';
  const labels = readLabels(dir).filter((l) => isHeldOut(l.server) === held);
  for (const ign of [true, false]) {
    const js = judgeTools(tools, labels, ign);
    const f = measureClassification(js);
    console.log(
      `ignore=${ign} n=${f.tools} accepted ${f.accepted.toFixed(4)} writesInRead ${f.writesInRead.length} readsElsewhere ${f.readsElsewhere.toFixed(4)} under ${f.destroyersUnderrated.length} over ${f.overrated}`,
    );
    if (process.env.QUIET) continue;
    const show = (j: any) =>
      console.log(
        j.label.id.slice(-60),
        '|',
        j.label.accepted.join(),
        j.label.mutates + j.label.destroys,
        '->',
        j.classification.category,
        j.classification.danger.level,
        j.classification.confidence,
        j.classification.evidence.slice(0, 5).join(' ; '),
        '|',
        String(j.tool.tool.description).slice(0, 100).replace(/\n/g, ' '),
      );
    console.log('--- writes in read');
    f.writesInRead.forEach(show);
    console.log('--- not accepted');
    f.notAccepted.forEach(show);
    console.log('--- under');
    f.destroyersUnderrated.forEach(show);
    if (ign && process.env.OVER) {
      console.log('--- over');
      js.filter((j) => j.label.destroys === 'n' && isDestructive(j.classification)).forEach((j) =>
        console.log(j.label.id, j.label.category, j.classification.danger),
      );
    }
    if (ign) console.log(measureGrouping(js));
  }
});
