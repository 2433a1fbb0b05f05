import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { renderJson } from '../../../src/config/load/lock-file.js';
import { gatewaySchema } from '../../../src/config/schema/gateway-schema.js';
import { UPSTREAM_SCHEMA } from '../../../src/config/schema/upstream-schema.js';
import { SECTIONS } from '../../../src/modules/modules.js';
import { renderConfigReference } from '../../../tools/docs/config-reference.js';

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));

describe('the generated documents (UPDATE_DOCS=1 writes them)', () => {
  it.each([
    ['configuration.md', renderConfigReference],
    ['gateway-config.schema.json', () => renderJson(gatewaySchema(SECTIONS))],
    ['upstream.schema.json', () => renderJson(UPSTREAM_SCHEMA)],
  ])('include docs/%s, which is up to date', (name, render) => {
    const file = `${DOCS}${name}`;
    const text = render();
    if (process.env['UPDATE_DOCS'] === '1') {
      mkdirSync(DOCS, { recursive: true });
      writeFileSync(file, text);
    }
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it.each([
    ['gateway', gatewaySchema(SECTIONS)],
    ['upstream', UPSTREAM_SCHEMA],
  ])('include the %s schema, which is valid in its draft', (_, schema) => {
    const ajv = new Ajv({ allowUnionTypes: true, formats: { glob: true, 'name-glob': true } });
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
  });

  it('explain every key of the schemas', () => {
    expect(renderConfigReference()).not.toMatch(/undefined|\[object/);
  });
});
