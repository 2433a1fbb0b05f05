import { chmod, cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDirectory } from '../support/gateway-folder.js';
import { runCli } from '../support/run-cli.js';
import { REPOSITORY } from '../support/served-gateway.js';

/** What released versions have left: their configuration, lock, state and audit trail, after calls, a token and a request for approval. */
const FIXTURES = join(REPOSITORY, 'test/fixtures/upgrade');

describe.each(['0.1.0'])('what version %s has left', (version) => {
  let folder: Awaited<ReturnType<typeof makeDirectory>>;
  beforeAll(async () => {
    folder = await makeDirectory();
    await cp(join(FIXTURES, version), folder.path, { recursive: true });
    // Git keeps no modes of files that only their owner may read.
    for (const file of ['audit.key', 'session.key', 'state.db']) await chmod(join(folder.path, 'data', file), 0o600);
  });
  afterAll(() => folder[Symbol.asyncDispose]());
  const run = (...args: readonly string[]) => runCli(args, { cwd: folder.path });

  it('is a valid configuration', async () => {
    const { code, stdout, stderr } = await run('validate');
    expect([code, stderr], stdout).toEqual([0, expect.not.stringContaining('warning')]);
  });

  it('is an audit trail that verifies', async () => {
    const { code, stdout } = await run('audit', 'verify');
    expect([code, stdout]).toEqual([0, expect.stringContaining('nothing was altered')]);
  });

  it('is a lock whose definitions are accepted still', async () => {
    const { code, stdout } = await run('lock', '--json');
    const { differences } = JSON.parse(stdout);
    expect([code, differences]).toEqual([0, []]);
  });

  it('is a state that is opened: calls run under quarantine, ask and are confirmed, under the names they had', async () => {
    const read = await run('tools', 'call', 'fetch_item', '--params', '{"name":"a"}');
    expect(read.stdout, read.stderr).toContain('get_item has run');
    const created = await run('tools', 'call', 'create_item', '--params', '{"name":"b"}', '--confirm');
    expect(created.stdout, created.stderr).toContain('create_item has run');
    const { code, stdout, stderr } = await run('approvals', 'list', '--status', 'all', '--json');
    expect([code, stderr], stdout).toEqual([0, expect.anything()]);
  });

  it('is an audit trail that goes on, and verifies as a whole', async () => {
    const journals = (await readdir(join(FIXTURES, version, 'data/audit'))).length;
    const { code, stdout } = await run('audit', 'verify');
    expect(code, stdout).toBe(0);
    expect(Number(/^(\d+) journals/.exec(stdout)?.[1])).toBeGreaterThan(journals);
  });
});
