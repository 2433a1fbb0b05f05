import { describe, expect, it } from 'vitest';
import { paramHeaders, scanHeaderParameters } from '../../../src/base/protocol/header-parameters.js';
import { createBehaviours } from '../../fixtures/servers/behaviours.mjs';
import { serveModernHttp } from '../../fixtures/servers/serve-http.mjs';
import { anUpstream, openPool } from './opened-pool.js';

const region = { type: 'string', 'x-mcp-header': 'Region' };
const schema = {
  type: 'object',
  properties: {
    region,
    nested: { type: 'object', properties: { tenant: { type: 'integer', 'x-mcp-header': 'Tenant-Id' } } },
    'x-mcp-header': { type: 'string', description: 'a parameter that happens to have this name' },
    plain: { type: 'string', default: { 'x-mcp-header': 'data, not schema' } },
  },
};

describe('scanHeaderParameters', () => {
  it('finds declarations at any depth of properties', () => {
    expect(scanHeaderParameters(schema)).toEqual({
      parameters: [
        { path: ['region'], header: 'mcp-param-region' },
        { path: ['nested', 'tenant'], header: 'mcp-param-tenant-id' },
      ],
    });
    expect(scanHeaderParameters(undefined)).toEqual({ parameters: [] });
  });

  it.each([
    ['items', { type: 'object', properties: { list: { type: 'array', items: region } } }],
    ['anyOf', { anyOf: [{ properties: { region } }] }],
    ['the root', { ...region }],
    ['a number', { properties: { size: { type: 'number', 'x-mcp-header': 'Size' } } }],
    ['a bad name', { properties: { size: { type: 'string', 'x-mcp-header': 'a b' } } }],
    ['two of a name', { properties: { a: region, b: { type: 'string', 'x-mcp-header': 'REGION' } } }],
  ])('finds fault with %s', (_what, faulty) => {
    expect(scanHeaderParameters(faulty).fault).toEqual(expect.any(String));
  });
});

describe('paramHeaders', () => {
  it('repeats primitives and leaves out the rest', () => {
    const { parameters } = scanHeaderParameters(schema);
    expect(paramHeaders(parameters, { region: 'eu-west ✓', nested: { tenant: 7 } })).toEqual({
      'mcp-param-region': '=?base64?ZXUtd2VzdCDinJM=?=',
      'mcp-param-tenant-id': '7',
    });
    expect(paramHeaders(parameters, { region: null, nested: 'flat' })).toEqual({});
  });
});

describe('a modern http upstream', () => {
  it('gets the headers that its tools ask for, and keeps tools with faulty ones out', async () => {
    const good = { name: 'routed', inputSchema: { type: 'object', properties: { region } } };
    const bad = {
      name: 'misrouted',
      inputSchema: { type: 'object', properties: { size: { type: 'object', 'x-mcp-header': 'S' } } },
    };
    const server = await serveModernHttp(createBehaviours({ extraTools: [good, bad] }));
    await using opened = openPool(anUpstream({ type: 'http', url: server.url, headers: {} }));
    await opened.settled;
    const names = opened.lists.get('one')?.[0]?.map(({ name }) => name);
    expect(names).toContain('routed');
    expect(names).not.toContain('misrouted');
    expect(opened.observations).toContainEqual(
      expect.objectContaining({ kind: 'diagnostic', message: expect.stringContaining("'misrouted' is left out") }),
    );
    await opened.call('routed', { region: 'eu' }).catch(() => {});
    const sent = server.requests.find(({ headers }) => headers['mcp-method'] === 'tools/call');
    expect(sent?.headers).toMatchObject({
      'mcp-name': 'routed',
      'mcp-param-region': 'eu',
    });
    await opened.pool.close();
    await server.close();
  });
});
