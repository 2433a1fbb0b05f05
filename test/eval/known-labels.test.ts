import { expect, test } from 'vitest';
import { ToolRecord } from '../../src/catalog/integrity/tool-record.js';
import { classifyTool } from '../../src/classify/classify-tool.js';
import { findKnown } from '../../src/classify/known.js';
import { findCorpus, readAllLabels, readAllTools, readCorpusTools, readLabels } from './corpus.js';
import { judge, readSubjects } from './evaluate-classification.js';
import { readUnread } from './unread.js';

const directory = findCorpus();

/** So many labelled tools have a reviewed definition, at the least: otherwise the test would say nothing. */
const REVIEWED = 500;

test.skipIf(directory === undefined)(
  'no label of a known server reaches the figures of the evaluation, although hundreds of its tools are known',
  () => {
    const from = directory ?? '';
    const sets = [true, false].flatMap((hidden) => [
      ...readSubjects(readAllTools(from), readAllLabels(from), hidden),
      ...readSubjects(readCorpusTools(from, 'tools-lmb'), readLabels(from, 'labels-lmb.tsv'), hidden),
    ]);
    const subjects = [...sets, ...readUnread(from).flatMap((unread) => unread.subjects)];
    const reviewed = subjects.filter(({ tool }) => findKnown(new ToolRecord(tool.tool))?.isChanged === false);
    expect(new Set(reviewed.map(({ tool }) => tool.id)).size).toBeGreaterThan(REVIEWED);
    const told = judge(reviewed).filter(
      ({ classification: { known, evidence } }) =>
        known !== undefined || evidence.some((line) => /^known server/.test(line)),
    );
    expect(told.map(({ tool }) => tool.id)).toEqual([]);
    // Were it passed, it would decide.
    const [first] = reviewed;
    const known = first && classifyTool({ ...first.input, known: findKnown(new ToolRecord(first.tool.tool)) }).known;
    expect(known).toEqual(expect.any(String));
  },
);
