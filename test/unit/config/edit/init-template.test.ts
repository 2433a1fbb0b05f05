import { expect, it } from 'vitest';
import { renderInitConfig } from '../../../../src/config/edit/init-template.js';
import { load } from '../config-folder.js';

it('writes a configuration that loads, with its one server disabled', async () => {
  const { config, warnings } = await load(renderInitConfig());
  expect(config.upstreams).toEqual([expect.objectContaining({ name: 'example', disabled: true })]);
  expect(warnings).toEqual([]);
});
