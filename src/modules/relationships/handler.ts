import { canonicalJson } from '../../base/json/canonical-json.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { OperationHandler } from '../../base/protocol/call.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { Warning } from '../../base/protocol/result.js';
import { readCursor, writeCursor } from '../../gateway/module.js';
import type { CallOperation } from './edges.js';
import { type RelationPage, type RelationSource, readRelationRequest, type Section } from './graph.js';
import { traverseRelations } from './traverse.js';

/** The handler of `query_relationships`. */
export function createRelationshipsHandler(sources: readonly RelationSource[]): OperationHandler {
  return async (call) => {
    const request = readRelationRequest(call.arguments);
    const upstream = call.arguments['upstream'] ?? sources[0]?.upstream;
    const own = sources.filter((source) => source.upstream === upstream);
    const { first: _first, after: _after, ...asked } = call.arguments;
    const question = canonicalJson(asked);
    const opened = openRelationPage(request.page, question);
    const { calls } = call.host;
    const read: CallOperation = (slug, name, params) =>
      calls.read(call, { kind: 'relation', upstream: slug, name, params });
    const { incomplete, ...answer } = await traverseRelations(request, own, read);
    const page = takeRelationPage(answer, opened, question);
    return {
      data: selectSections(page.answer, request.sections),
      ...(Array.isArray(incomplete) && { warnings: incomplete.filter(isJsonObject).map(warnOfGap) }),
      ...(page.pageInfo !== undefined && { meta: { pageInfo: page.pageInfo } }),
    };
  };
}

/** The published schema has no place in the answer for what could not be found out. */
function warnOfGap(gap: JsonObject): Warning {
  const { relationship, reason } = gap;
  const subject = relationship === undefined ? 'Relationships' : `Relationship '${String(relationship)}'`;
  return {
    code: 'RELATIONSHIPS_INCOMPLETE_WARNING',
    message: `${subject} may be missing: ${String(reason)}`,
    details: gap,
    severity: 'medium',
  };
}

/** The sections of an answer that were asked for, and the root, which the published schema requires. */
function selectSections(answer: JsonObject, sections: readonly Section[]): JsonObject {
  const graph = isJsonObject(answer['graph']) ? answer['graph'] : {};
  const wanted =
    (prefix: string) =>
    ([key]: readonly [string, unknown]) =>
      key === 'root' || sections.some((section) => section === prefix + key);
  const parts = Object.entries(graph).filter(wanted('graph.'));
  return {
    ...Object.fromEntries(Object.entries(answer).filter(wanted(''))),
    ...(parts.length > 0 && { graph: Object.fromEntries(parts) }),
  };
}

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
function openRelationPage({ first, after }: RelationPage, question: string): OpenPage | undefined {
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
function takeRelationPage(answer: JsonObject, page: OpenPage | undefined, question: string): AnswerPage {
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
