import { expect, it } from 'vitest';
import { renderInitConfig } from '../../../../src/config/edit/init-template.js';
import { load } from '../config-folder.js';

it('writes a configuration that loads, with one server that ships with the gateway', async () => {
  const { config, warnings } = await load(renderInitConfig('./schema.json'));
  const [server] = config.upstreams;
  expect(server).toMatchObject({ name: 'everything', disabled: false, endpoint: { command: 'mcp-server-everything' } });
  expect(warnings).toEqual([]);
});
