import { expect, it } from 'vitest';
import { isOwnGateway } from '../../../../src/cli/clients/own-gateway.js';

const ADDRESSES = ['http://127.0.0.1:3333', 'https://aql.example.org', 'http://127.0.0.1:5140/mcp', 'stdio'];

it.each([
  { url: 'http://127.0.0.1:5140/mcp' },
  { url: 'http://localhost:3333/mcp/people' },
  { url: 'http://[::1]:3333/mcp' },
  { url: 'https://aql.example.org/mcp' },
  { type: 'sse', url: 'HTTPS://AQL.example.org:443/mcp/code' },
  { command: 'npx', args: ['-y', 'mcp-remote', 'http://localhost:5140/mcp'] },
  { command: 'mcp-aql-gateway', args: ['stdio'] },
  { command: '/usr/local/bin/mcp-aql-gateway', args: ['stdio'] },
  { command: 'npx', args: ['-y', 'mcp-aql-gateway@0.1.0', 'stdio'] },
  { command: 'npx', args: ['-p', 'mcp-aql-gateway', 'mcp-aql-gateway', 'stdio'] },
  { command: 'npx', args: ['--package=mcp-aql-gateway', 'mcp-aql-gateway'] },
  { command: 'pnpm', args: ['dlx', 'mcp-aql-gateway', 'stdio'] },
  { command: 'cmd', args: ['/c', 'npx', '-y', 'mcp-aql-gateway', 'stdio'] },
  { command: 'C:\\nodejs\\npx.cmd', args: ['mcp-aql-gateway'] },
  { command: 'sh', args: ['-c', 'exec mcp-aql-gateway stdio'] },
  { command: 'env', args: ['MODE=x', 'mcp-aql-gateway', 'stdio'] },
  { command: 'node', args: ['/opt/mcp-aql-gateway/dist/cli/main.js', 'stdio'] },
  { command: 'node', args: ['--no-warnings', process.argv[1] ?? ''] },
])('knows a gateway by its address or its program: %j', (entry) => {
  expect(isOwnGateway(entry, ADDRESSES)).toBe(true);
});

it.each([
  { url: 'http://127.0.0.1:3334/mcp' },
  { url: 'https://example.org/mcp-aql-gateway' },
  { url: 'https://aql.example.org:8443/mcp' },
  { command: 'npx', args: ['-y', '@acme/mcp-sql', '--url', 'file:/srv/mcp-aql-gateway-demo/shop.db'] },
  { command: 'npx', args: ['-y', '@acme/mcp-aql-gateway-tools'] },
  { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/me/mcp-aql-gateway'] },
  { command: 'uvx', args: ['mcp-server-git', '--repository', '/home/me/mcp-aql-gateway'] },
  { command: 'node', args: ['/home/me/mcp-aql-gateway/upstreams/notes.js'] },
  { command: 'my-server', args: ['mcp-aql-gateway'] },
  { command: 'npx', args: ['-y', 'mcp-remote', 'https://other.example.org/mcp'] },
])('takes nothing else for one: %j', (entry) => {
  expect(isOwnGateway(entry, ADDRESSES)).toBe(false);
});
