import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { findLeak } from '../../../../src/base/protocol/clean-words.js';

const SOURCE = fileURLToPath(new URL('../../../../src/', import.meta.url));

/** Where the messages come from that a client reads. */
const FOLDERS = [
  'gateway/builtin/introspect/parse-query.ts',
  'gateway/builtin/introspect/page.ts',
  'gateway/builtin/introspect/filter.ts',
  'gateway/builtin/introspect/operation.ts',
  'gateway/builtin/executions/handlers.ts',
  'modules/relationships',
  'catalog/arguments',
  'schema/explain-violations.ts',
  'policy/execution',
  'gateway/interceptor',
  'gateway/pipeline',
  'gateway/primitives/list-handler.ts',
  'gateway/primitives/operations.ts',
  'gateway/primitives/owners.ts',
  'gateway/primitives/primitives.ts',
  'gateway/primitives/prompt-handlers.ts',
  'gateway/primitives/resource-handler.ts',
  'gateway/primitives/resource-subscriptions.ts',
  'gateway/native.ts',
  'policy/confirmation',
  'policy/rules/gatekeeper.ts',
  'policy/quota/budgets.ts',
  'base/protocol',
  'results',
  'policy/safety',
  'upstream/translate-failure.ts',
];

/** Texts that no client reads: faults of the program itself, and of the configuration. */
const INTERNAL = [
  /^a store refused/,
  /^The safety loop has no way to bring/,
  /^webhook at X$/,
  /^Enter the code only if/,
];

function filesUnder(path: string): readonly string[] {
  if (path.endsWith('.ts')) return [path];
  const names = readdirSync(`${SOURCE}${path}`, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => `${path}/${name}`);
}

/** Every text in a file, with X where a template has a value. */
function textsOf(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(`${SOURCE}${file}`, 'utf8'), ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && !ts.isImportDeclaration(node.parent)) texts.push(node.text);
    if (ts.isTemplateExpression(node)) {
      texts.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('X'));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

it('no text of a message matches what the published conformance suite takes for internals', () => {
  const found = FOLDERS.flatMap(filesUnder).flatMap((file) =>
    textsOf(file)
      .filter((text) => findLeak(text) !== undefined && !INTERNAL.some((internal) => internal.test(text)))
      .map((text) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});
