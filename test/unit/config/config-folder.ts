import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished, TestRunner } from 'vitest';
import type { GatewayConfig } from '../../../src/config/gateway-config.js';
import { ConfigError, type ConfigProblem } from '../../../src/config/load/diagnostics.js';
import { type LoadedConfig, type LoadOptions, loadConfig } from '../../../src/config/load/load-config.js';
import { SECTIONS } from '../../../src/modules/modules.js';

/** A folder with files, gone after the test, or with the process where several tests share it. Objects are written as JSON, texts as they are. */
export function makeFolder(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-config-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  if (TestRunner.getCurrentTest() === undefined) process.once('exit', remove);
  else onTestFinished(remove);
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

type Given = Omit<Partial<LoadOptions>, 'cwd'> & { readonly files?: Readonly<Record<string, unknown>> };

/** Loads a folder whose main file is `main`. */
export function load(main: unknown, { files = {}, ...options }: Given = {}): Promise<LoadedConfig> {
  const cwd = makeFolder({ 'gateway.config.json': main, ...files });
  return loadConfig({ env: {}, sections: SECTIONS, ...options, cwd });
}

/** The configuration alone. */
export async function loadOnly(main: unknown, given: Given = {}): Promise<GatewayConfig> {
  return (await load(main, given)).config;
}

/** The problems of a configuration that must not load. */
export async function problemsOf(main: unknown, given: Given = {}): Promise<readonly ConfigProblem[]> {
  const cause: unknown = await load(main, given).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (cause instanceof ConfigError) return cause.problems;
  throw cause ?? new Error('the configuration was accepted');
}
