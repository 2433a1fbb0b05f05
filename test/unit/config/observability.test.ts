import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashToken } from '../../../src/config/load/build-access.js';
import { maskConfig } from '../../../src/config/load/secrets.js';
import { loadOnly, problemsOf } from './config-folder.js';

const TOKEN = '0123456789abcdef';

describe('the configuration of what watches the gateway', () => {
  it('is off unless it is asked for', async () => {
    const { metrics, tracing, log } = await loadOnly({ metrics: { token: TOKEN }, tracing: { ratio: 0.5 } });
    expect({ metrics, tracing, access: log.access }).toEqual({});
  });

  it.each([
    [{}, { listen: { host: '127.0.0.1', port: 9464 } }],
    [{ listen: 9500 }, { listen: { host: '127.0.0.1', port: 9500 } }],
    [{ listen: '[::1]:9500' }, { listen: { host: '::1', port: 9500 } }],
    [{ token: TOKEN }, { tokenHash: hashToken(TOKEN) }],
    [
      { token_FILE: 'token.txt', listen: '0.0.0.0:9464' },
      { listen: { host: '0.0.0.0', port: 9464 }, tokenHash: hashToken(TOKEN) },
    ],
  ])('serves metrics with %j at %j', async (metrics, expected) => {
    const config = await loadOnly({ metrics: { enabled: true, ...metrics } }, { files: { 'token.txt': TOKEN } });
    expect(config.metrics).toEqual(expected);
    expect(JSON.stringify(maskConfig(config))).not.toContain(hashToken(TOKEN));
  });

  it.each([
    ['metrics', { listen: '0.0.0.0:9464' }, 'metrics.token', /missing; 0\.0\.0\.0 can be reached/],
    ['metrics', { listen: 'somewhere' }, 'metrics.listen', /expected an address and a port/],
    ['metrics', { token: 'short' }, 'metrics.token', /expected at least 16 characters/],
    ['tracing', { endpoint: 'collector:4318' }, 'tracing.endpoint', /expected an http:/],
    ['tracing', { ratio: 2 }, 'tracing.ratio', /1/],
  ])('refuses %s %j', async (section, settings, path, message) => {
    const [problem] = await problemsOf({ [section]: { enabled: true, ...settings } });
    expect(problem).toMatchObject({ path, message: expect.stringMatching(message) });
  });

  it('masks the headers of traces', async () => {
    const { tracing } = maskConfig(await loadOnly({ tracing: { enabled: true, headers: { 'x-key': TOKEN } } }));
    expect(tracing).toEqual({ headers: { 'x-key': '***' } });
  });

  it.each([
    ['stderr', 'stderr'],
    ['logs/access.log', { file: 'logs/access.log' }],
  ])('writes the access log to %s', async (access, expected) => {
    const { log, directory } = await loadOnly({ log: { access } });
    expect(log.access).toEqual(typeof expected === 'string' ? expected : { file: join(directory, expected.file) });
  });
});
