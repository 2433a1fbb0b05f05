import { expect, it } from 'vitest';
import { fingerprintTool, readDefinition } from '../../src/base/protocol/fingerprint-tool.js';
import type { RawTool } from '../../src/base/protocol/tools.js';
import { definePrompt, defineTemplate } from '../../src/catalog/integrity/definition-guard.js';
import { openLiveGateway } from '../support/live-gateway.js';
import { REPOSITORY } from '../support/served-gateway.js';

const TOOL = { name: 'get', description: 'Gets', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
const PROMPT = { name: 'ask', description: 'Asks' };
const TEMPLATE = { uriTemplate: 'note://{id}', name: 'note' };

const serving = (tool: object, prompt: object, template: object) => ({
  command: process.execPath,
  args: [
    `${REPOSITORY}test/fixtures/servers/methods-server.mjs`,
    `{
      capabilities: { tools: {}, resources: {}, prompts: {} },
      'tools/list': () => (${JSON.stringify({ tools: [tool] })}),
      'prompts/list': () => (${JSON.stringify({ prompts: [prompt] })}),
      'resources/list': () => ({ resources: [] }),
      'resources/templates/list': () => (${JSON.stringify({ resourceTemplates: [template] })}),
    }`,
  ],
  integrity: 'quarantine',
});

const locked = (...tools: readonly RawTool[]) =>
  Object.fromEntries(
    tools.map((tool) => [
      String(tool['name']),
      { fingerprint: fingerprintTool(tool), operations: {}, definition: readDefinition(tool) },
    ]),
  );

const LOCK = JSON.stringify({
  version: 1,
  upstreams: { one: locked(TOOL) },
  others: { one: locked(definePrompt(PROMPT), defineTemplate(TEMPLATE)) },
});

async function shown(tool: object, prompt: object, template: object): Promise<readonly number[]> {
  await using live = await openLiveGateway(
    { mcpServers: { one: serving(tool, prompt, template) }, endpoint: { mode: 'passthrough' } },
    { 'gateway.lock.json': LOCK },
  );
  const client = await live.connect('http', 'legacy');
  const { tools } = await client.listTools();
  const { prompts } = await client.listPrompts();
  const { resourceTemplates } = await client.listResourceTemplates();
  return [tools.filter(({ name }) => name === 'get').length, prompts.length, resourceTemplates.length];
}

it('what was accepted is shown, also with other pictures and other words between programs', async () => {
  const beside = { icons: [{ src: 'data:,' }], _meta: { build: 7 } };
  expect(await shown(TOOL, PROMPT, TEMPLATE)).toEqual([1, 1, 1]);
  expect(await shown({ ...TOOL, ...beside }, { ...PROMPT, ...beside }, { ...TEMPLATE, ...beside })).toEqual([1, 1, 1]);
});

it.each([
  ['members that MCP does not define', { usage: 'Call me first' }],
  ['annotations', { annotations: { audience: ['assistant'], readOnlyHint: true } }],
])('under quarantine a definition with other %s reaches nobody', async (_what, more) => {
  expect(await shown({ ...TOOL, ...more }, { ...PROMPT, ...more }, { ...TEMPLATE, ...more })).toEqual([0, 0, 0]);
});

it('under quarantine a tool that runs otherwise, or has another page for its answers, reaches nobody', async () => {
  for (const more of [{ execution: { taskSupport: 'optional' } }, { _meta: { ui: { resourceUri: 'ui://other' } } }])
    expect(await shown({ ...TOOL, ...more }, PROMPT, TEMPLATE)).toEqual([0, 1, 1]);
});
