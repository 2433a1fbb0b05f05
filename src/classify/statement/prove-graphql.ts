import type { ASTNode, DefinitionNode, DocumentNode } from 'graphql/language/ast.js';
import { parse } from 'graphql/language/parser.js';
import { visit } from 'graphql/language/visitor.js';
import type { StatementVerdict } from '../../base/protocol/operation.js';
import { LONGEST_TEXT, MOST_PARTS, NotProven, place, quote, verdictOf } from './not-proven.js';

/** Those of the specification itself that only leave something out. Any other is a server's own and may do anything. */
const READING_DIRECTIVES: ReadonlySet<string> = new Set(['include', 'skip']);

/** Longer explanations of the parser repeat the text. */
const LONGEST_REASON = 200;

/**
 * Proves that a text is one GraphQL document that holds nothing but queries and their fragments: by the specification only the fields of a
 * mutation change something. What is no document, such as the JSON body of a request, is not proven: a server may take it for one.
 */
export function proveGraphql(text: string): StatementVerdict {
  return verdictOf(() => {
    if (text.length > LONGEST_TEXT) throw new NotProven(`it is longer than ${LONGEST_TEXT} characters`);
    const document = readDocument(text);
    for (const definition of document.definitions) requireReading(definition);
    if (document.definitions.every(({ kind }) => kind === 'FragmentDefinition'))
      throw new NotProven('it holds no query');
    visit(document, {
      Directive(directive) {
        if (!READING_DIRECTIVES.has(directive.name.value))
          throw new NotProven(`the directive ${placeOf(directive)} is not one of: include, skip`);
      },
    });
    return 'query';
  });
}

function readDocument(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: MOST_PARTS });
  } catch (fault) {
    // Besides syntax: a text that is nested too deeply for the parser.
    const why = fault instanceof Error ? fault.message.slice(0, LONGEST_REASON) : 'it cannot be read';
    throw new NotProven(`it is no GraphQL document (${why})`);
  }
}

function requireReading(definition: DefinitionNode): void {
  if (definition.kind === 'FragmentDefinition') return;
  if (definition.kind === 'OperationDefinition' && definition.operation === 'query') return;
  const what = definition.kind === 'OperationDefinition' ? definition.operation : definition.kind;
  throw new NotProven(`${quote(what)} ${placeOf(definition)} is neither a query nor a fragment`);
}

function placeOf({ loc }: ASTNode): string {
  return place(loc?.start ?? 0);
}
