import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.js';
import { connectClient, type McpClient } from '../support/mcp-client.js';
import { REPOSITORY, type ServedGateway, serveGateway } from '../support/served-gateway.js';

interface Example {
  readonly tool: string;
  readonly request: JsonObject;
  readonly kind: 'answer' | 'error';
  readonly expected: JsonObject;
}

const README = readFileSync(join(REPOSITORY, 'README.md'), 'utf8');

/** Each fenced `json request TOOL` with the `json answer` or `json error` that follows it. */
function readExamples(): readonly Example[] {
  const pattern = /```json request (\S+)\n(.*?)```\s+```json (answer|error)\n(.*?)```/gs;
  return [...README.matchAll(pattern)].map(([, tool = '', request = '', kind = '', expected = '']) => ({
    tool,
    request: JSON.parse(request) as JsonObject,
    kind: kind as Example['kind'],
    expected: JSON.parse(expected) as JsonObject,
  }));
}

describe('what the README shows is what happens', () => {
  let gateway: ServedGateway;
  let client: McpClient;

  beforeAll(async () => {
    const shipped = JSON.parse(readFileSync(join(REPOSITORY, 'gateway.config.json'), 'utf8')) as object;
    gateway = await serveGateway(shipped);
    client = await connectClient(gateway.url);
  }, 60_000);

  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await gateway?.[Symbol.asyncDispose]();
  });

  const examples = readExamples();

  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(3);
  });

  it.each(examples.map((example) => [JSON.stringify(example.request).slice(0, 70), example] as const))(
    '%s',
    async (_title, { tool, request, kind, expected }) => {
      const answer = await client.callTool(tool, request);
      expect(kind === 'error' ? answer.error : answer.data).toMatchObject(expected);
    },
  );
});
