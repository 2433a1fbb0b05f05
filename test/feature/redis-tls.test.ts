import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import { makeDirectory } from '../support/gateway-folder.js';
import { leanCaller } from '../support/lean-client.js';
import { findFreePort, NO_REDIS, REDIS_BINARY, spawnRedis } from '../support/redis-server.js';
import { serveGateway } from '../support/served-gateway.js';

const ANN = 'ann-has-a-long-token-01';
const PASSWORD = 'a-password-of-redis';

/** A certificate that is its own authority, for the server and its clients. */
function makeCertificate(folder: string): { readonly cert: string; readonly key: string } {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=redis', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', [...args, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
  return { cert, key };
}

it.skipIf(REDIS_BINARY === undefined)(
  `keeps its state in a Redis that asks for a certificate and a password, which is in a file (${NO_REDIS})`,
  async () => {
    await using folder = await makeDirectory();
    await using danger = await startDangerUpstream();
    const { cert, key } = makeCertificate(folder.path);
    const port = await findFreePort();
    const tls = [
      '--tls-cert-file',
      cert,
      '--tls-key-file',
      key,
      '--tls-ca-cert-file',
      cert,
      '--tls-auth-clients',
      'yes',
    ];
    const ports = ['--port', '0', '--tls-port', String(port), '--bind', '127.0.0.1'];
    const redis = await spawnRedis([...ports, ...tls, '--requirepass', PASSWORD, '--save', '', '--dir', folder.path]);
    try {
      const secret = join(folder.path, 'password');
      await writeFile(secret, `${PASSWORD}\n`);
      const password = '$' + '{REDIS_PASSWORD}';
      const config = {
        store: { url: `rediss://127.0.0.1:${port}`, password, tls: { ca: cert, cert, key } },
        clients: { ann: { token: ANN } },
        mcpServers: { demo: dangerEntry(danger) },
      };
      await using gateway = await serveGateway(config, { env: { REDIS_PASSWORD_FILE: secret } });
      const call = leanCaller(gateway.url, ANN);
      const asked = await call(EXECUTE, 'do_destructive', { path: '/a' });
      const params = { path: '/a', _confirmation: String(asked.error?.details?.['confirmation_token']) };
      expect((await call(EXECUTE, 'do_destructive', params)).success).toBe(true);
      expect((await call(EXECUTE, 'do_destructive', params)).error?.code).toBe('TOKEN_ALREADY_USED');
    } finally {
      redis.kill('SIGKILL');
      await once(redis, 'exit');
    }
  },
);
