import { copyFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { Observation } from '../../../../src/base/observe/observation.js';
import { openHttpServer } from '../../../../src/server/http/http-server.js';
import { createFakeGateway } from '../../../support/fake-gateway.js';
import { SERVER_INFO } from '../../../support/server-clients.js';

const FIXTURES = fileURLToPath(new URL('../../../fixtures/tls/', import.meta.url));

function makeFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  let stamp = 1_000_000_000;
  const put = (name: string, part: 'cert' | 'key'): void => {
    copyFileSync(join(FIXTURES, `${name}.${part}.pem`), tls[part]);
    stamp += 10;
    utimesSync(tls[part], stamp, stamp);
  };
  return { tls, put };
}

/** The name in the certificate that a server shows. */
function nameShown(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    }).once('error', reject);
  });
}

it('a certificate is served, and served anew when its files have changed, but not while they do not fit', async () => {
  const { tls, put } = makeFiles();
  put('first', 'cert');
  put('first', 'key');
  let heard: (message: string) => void = () => undefined;
  const next = () => new Promise<string>((resolve) => (heard = resolve));
  const observe = (each: Observation) => void (each.kind === 'notice' && heard(each.message));
  const deps = { observe, serverInfo: SERVER_INFO, lookMs: 20 };
  const server = await openHttpServer(createFakeGateway({ server: { tls } }), deps);
  onTestFinished(() => server.close());
  const shown = () => nameShown(server.address.port);
  expect([new URL(server.url).protocol, await shown()]).toEqual(['https:', 'first.gateway.test']);
  const unfit = next();
  put('second', 'cert');
  expect(await unfit).toContain('The earlier certificate stays in use');
  expect(await shown()).toBe('first.gateway.test');
  const fit = next();
  put('second', 'key');
  expect(await fit).toContain('was read again');
  expect(await shown()).toBe('second.gateway.test');
});

it('a gateway without a usable certificate does not start, and says which file is wrong', async () => {
  const { tls, put } = makeFiles();
  const open = () =>
    openHttpServer(createFakeGateway({ server: { tls } }), { observe: () => undefined, serverInfo: SERVER_INFO });
  await expect(open()).rejects.toThrow(`server.tls.cert: the file '${tls.cert}' cannot be read (ENOENT)`);
  put('first', 'cert');
  writeFileSync(tls.key, 'no key');
  await expect(open()).rejects.toThrow('are no certificate with its key');
});
