import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import { OperationError } from '../../protocol/operation-error.js';
import { readCursor, writeCursor } from '../introspect/page.js';
import type { RelationPage } from './graph.js';

/** A part of a traversal's answer, and where it is in the whole. */
interface AnswerPage {
  readonly answer: JsonObject;
  /** The pagination document's `PageInfo`; absent where no page was asked for. */
  readonly pageInfo?: JsonObject;
}

/** A page before there is an answer: how many relationships, from which one on. */
interface OpenPage {
  readonly first: number;
  readonly start: number;
}

/**
 * The page that is asked for; undefined where none is. Throws for a cursor of another question, and for one without a size, before
 * anything is called.
 *
 * @param question names what was asked: the same arguments but for the page, the same question
 */
export function openRelationPage({ first, after }: RelationPage, question: string): OpenPage | undefined {
  if (first === undefined && after === undefined) return undefined;
  if (first === undefined) throw sizeMissing();
  return { first, start: after === undefined ? 0 : startAfter(after, question) };
}

/**
 * Takes the page of relationships that was asked for, with the edges that they stand for and the nodes at their ends. A cursor holds
 * its place itself, so that it survives restarts; the traversal runs again for each page.
 *
 * @param answer whose relationships and edges are in the same order, one for one
 */
export function takeRelationPage(answer: JsonObject, page: OpenPage | undefined, question: string): AnswerPage {
  if (page === undefined) return { answer };
  const { first, start } = page;
  const { relationships, nodes, edges, root } = partsOf(answer);
  const end = Math.min(start + first, relationships.length);
  const cursorAt = (index: number): string => writeCursor(question, { index, name: '' });
  const shown = edges.slice(start, end);
  const ends = new Set([root, ...shown.flatMap(({ source, target }) => [source, target])]);
  return {
    answer: {
      ...answer,
      relationships: relationships.slice(start, end),
      graph: { nodes: nodes.filter(({ id }) => ends.has(id)), edges: shown },
    },
    pageInfo: {
      hasNextPage: end < relationships.length,
      hasPreviousPage: start > 0 && relationships.length > 0,
      ...(end > start && { startCursor: cursorAt(start), endCursor: cursorAt(end - 1) }),
      totalCount: relationships.length,
    },
  };
}

interface AnswerParts {
  readonly relationships: readonly unknown[];
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly JsonObject[];
  readonly root: unknown;
}

function partsOf({ relationships, graph }: JsonObject): AnswerParts {
  const { nodes, edges } = isJsonObject(graph) ? graph : {};
  const listed = listOf(nodes);
  // The root is the first node that was found.
  return { relationships: listOf(relationships), nodes: listed, edges: listOf(edges), root: listed[0]?.['id'] };
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function startAfter(after: string, question: string): number {
  const position = readCursor(question, after);
  if (position !== undefined) return position.index + 1;
  throw new OperationError(
    'VALIDATION_INVALID_VALUE',
    "Parameter 'after' holds no valid cursor for this call: it was given for other parameters. Leave it out to start over",
    { param_name: 'after', constraint: 'a cursor of the same question' },
  );
}

/** The answer of the pagination document (2.3). */
function sizeMissing(): OperationError {
  return new OperationError('VALIDATION_INVALID_TYPE', "Cannot use 'after' without 'first'", {
    param_name: 'pagination',
    expected_type: 'valid pagination combination',
    actual_type: 'missing page size',
    provided: ['after'],
    hint: "Add 'first', the number of items to return",
  });
}
