import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../../src/base/json/json.js';
import type { Operation } from '../../../../src/base/protocol/operation.js';
import { declaredShape } from '../../../../src/results/shape/declared-shape.js';
import { anOperation } from '../../../support/an-operation.js';

const TEXT = { type: 'string' };
const ROWS = { type: 'array', items: { type: 'object', properties: { id: TEXT } } };
const TEXTS = { type: 'array', items: TEXT };
const COUNT = { type: 'integer' };

const object = (properties: JsonSchema): JsonSchema => ({ type: 'object', properties });
const describing = (outputSchema: JsonSchema, changes: Partial<Operation> = {}): Operation =>
  anOperation({ outputSchema, ...changes });
const collectionAt = (...path: string[]) => expect.objectContaining({ kind: 'collection', path });
const OBJECT = { kind: 'object' };

describe('declaredShape by the output schema', () => {
  it.each<[string, JsonSchema, unknown]>([
    ['a list', ROWS, collectionAt()],
    ['its only list of objects', object({ total: COUNT, items: ROWS }), collectionAt('items')],
    ['a list of objects beside lists of texts', object({ documents: ROWS, limits: TEXTS }), collectionAt('documents')],
    ['a list of anything', object({ documents: { type: 'array' } }), collectionAt('documents')],
    ['its only list of texts', object({ names: TEXTS }), collectionAt('names')],
    ['a list of texts beside its totals', object({ logs: TEXTS, shownCount: COUNT }), collectionAt('logs')],
    ['a list inside a wrapper', object({ result: object({ rows: ROWS }) }), collectionAt('result', 'rows')],
    [
      'a list inside a named wrapper',
      object({ ok: COUNT, data: object({ rows: ROWS }) }),
      collectionAt('data', 'rows'),
    ],
    [
      'a list behind references',
      {
        $ref: '#/$defs/Page',
        $defs: { Page: object({ rows: { $ref: '#/$defs/Rows' } }), Rows: ROWS },
      },
      collectionAt('rows'),
    ],
    ['a list that may be null', object({ rows: { anyOf: [ROWS, { type: 'null' }] } }), collectionAt('rows')],
    ['one thing', object({ id: TEXT, size: COUNT }), OBJECT],
    ['one thing with labels', object({ number: COUNT, labels: TEXTS }), OBJECT],
    ['one thing with comments', object({ id: TEXT, comments: ROWS }), OBJECT],
    ['a graph', object({ entities: ROWS, relations: ROWS }), OBJECT],
    ['a text', object({ content: TEXT }), undefined],
    ['anything', object({ result: {} }), undefined],
    ['free keys', { type: 'object', additionalProperties: true }, undefined],
    ['a reference to nowhere', { $ref: '#/$defs/Missing' }, undefined],
    ['nonsense', { type: 7, properties: [] }, undefined],
  ])('%s', (_, outputSchema, expected) => {
    expect(declaredShape(describing(outputSchema))).toEqual(expected);
  });

  it('takes the only list of an operation named list_* for its collection, whatever members are beside it', () => {
    const schema = object({ title: TEXT, entries: ROWS });
    expect(declaredShape(describing(schema))).toEqual(OBJECT);
    expect(declaredShape(describing(schema, { name: 'list_entries' }))).toEqual(collectionAt('entries'));
  });

  it('prefers the schema to the name', () => {
    const graph = object({ entities: ROWS, relations: ROWS });
    expect(declaredShape(describing(graph, { name: 'search_nodes' }))).toEqual(OBJECT);
  });
});

describe('declaredShape by the name', () => {
  const inAnswer = expect.objectContaining({ kind: 'collection', path: null });

  it.each([
    'list_directory',
    'search_issues',
    'query_database',
    'find_users',
    'list',
    'search',
    'hosting_list_orders_v1',
    'epics_search',
    'web_search_exa',
  ])('is a collection for %s', (name) => {
    expect(declaredShape(anOperation({ name }))).toEqual(inAnswer);
    expect(declaredShape(describing(object({ content: TEXT }), { name }))).toEqual(inAnswer);
  });

  it.each(['get_issue', 'get_watching_list_count', 'read_query', 'get_query_status', 'listen_for_news', 'listing'])(
    'does not decide on %s',
    (name) => {
      expect(declaredShape(anOperation({ name }))).toBeUndefined();
    },
  );

  it("reads the name without the upstream's prefix", () => {
    const operation = anOperation({ name: 'jira__list_issues', qualifiedName: 'jira__list_issues' });
    expect(declaredShape(operation)).toEqual(inAnswer);
    expect(declaredShape(anOperation({ name: 'list_server__get_it', qualifiedName: 'list_server__get_it' }))).toBe(
      undefined,
    );
  });
});

describe('declaredShape by the operator', () => {
  it("prefers the operator's word to schema and name", () => {
    const about = describing(object({ items: ROWS }), { name: 'list_items' });
    expect(declaredShape({ ...about, collection: null })).toEqual(OBJECT);
    expect(declaredShape({ ...about, collection: ['other'] })).toEqual(collectionAt('other'));
    expect(declaredShape({ ...about, collection: [] })).toEqual(collectionAt());
  });

  it('makes no collection of anything but a READ', () => {
    const category = (name: 'CREATE' | 'EXECUTE') => ({ ...anOperation().classification, category: name });
    const said = { name: 'list_items', outputSchema: ROWS, collection: [] };
    expect(declaredShape(anOperation({ ...said, classification: category('CREATE') }))).toBeUndefined();
    expect(declaredShape(anOperation({ ...said, classification: category('EXECUTE') }))).toBeUndefined();
  });
});
