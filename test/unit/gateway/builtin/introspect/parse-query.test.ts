import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../../../src/gateway/builtin/introspect/parse-query.js';

describe('parseQuery', () => {
  it('distinguishes lists from details', () => {
    expect(parseQuery({ query: 'operations' })).toEqual({
      kind: 'operations',
      filters: {},
      include: [],
      isProtocolWanted: false,
      page: { first: 50 },
    });
    expect(parseQuery({ query: 'operations', name: 'x' })).toMatchObject({ kind: 'operation', name: 'x' });
    expect(parseQuery({ query: 'types' })).toEqual({ kind: 'types', page: {} });
    expect(parseQuery({ query: 'types', name: 'X' })).toEqual({ kind: 'type', name: 'X' });
  });

  it('passes filters, search and paging on', () => {
    const filters = { category: 'READ', endpoint: 'read', upstream: 'alpha' };
    expect(parseQuery({ query: 'operations', ...filters, search: 'x', first: 3, after: 'c' })).toMatchObject({
      filters,
      search: 'x',
      page: { first: 3, after: 'c' },
    });
  });

  it('requests a stored result with only the given parameters', () => {
    expect(parseQuery({ query: 'result', name: 'h' })).toEqual({ kind: 'result', request: { handle: 'h' } });
    const rest = { path: 'a.b', fields: 'minimal', search: 's', first: 2, after: 'c', lines: '3' };
    expect(parseQuery({ query: 'result', name: 'h', ...rest })).toEqual({
      kind: 'result',
      request: { handle: 'h', ...rest },
    });
  });

  it('repeats the beginning of a long unknown query', () => {
    const refused = (): unknown => parseQuery({ query: 'x'.repeat(900_000) });
    expect(refused).toThrow(expect.objectContaining({ message: expect.stringMatching(/^.{1,400}$/) }));
  });

  it('names the query types when another is asked for', () => {
    expect(() => parseQuery({ query: 'weather' })).toThrow(
      expect.objectContaining({
        code: 'INTROSPECTION_ERROR',
        message:
          "Unknown query type: 'weather'. Supported types: 'operations', 'upstreams', 'types', 'result', 'quota_status', 'revoke_token'",
      }),
    );
  });

  it.each([
    [
      { query: 'types', category: 'READ', include: ['danger'] },
      "'category', 'include' cannot be combined with query 'types'",
    ],
    [{ query: 'types', name: 'X', search: 'y' }, "'search' cannot be combined with query 'types' by 'name'"],
    [{ query: 'types', name: 'X', upstream: 'y' }, "'upstream' cannot be combined with query 'types' by 'name'"],
    [{ query: 'operations', name: 'x', after: 'c' }, "'after' cannot be combined with 'name'"],
    [{ query: 'operations', lines: '1-2', path: 'a' }, "'path', 'lines' cannot be combined with query 'operations'"],
    [{ query: 'result', name: 'x', budget_tokens: 3 }, "'budget_tokens' cannot be combined with query 'result'"],
    [{ query: 'result' }, "query 'result' needs 'name'"],
  ])('refuses %j rather than ignoring a part of it', (args, message) => {
    expect(() => parseQuery(args)).toThrow(
      expect.objectContaining({ code: 'INTROSPECTION_ERROR', message: expect.stringContaining(message) }),
    );
  });

  it('shows the call that would be answered', () => {
    expect(() => parseQuery({ query: 'operations', search: 'x', fields: ['name'] })).toThrow(
      /Leave out one or the other, as in \{"query":"operations","search":"x"\}$/,
    );
    expect(() => parseQuery({ query: 'Servers' })).toThrow(/Did you mean \{"query":"upstreams"\}\?$/);
    expect(() => parseQuery({ query: 'weather' })).toThrow(/'revoke_token'$/);
  });

  it('accepts a page size beside a name, because its default may have been filled in', () => {
    expect(parseQuery({ query: 'operations', name: 'x', first: 50 })).toMatchObject({ kind: 'operation' });
  });
});
