import { afterEach, expect, it, vi } from 'vitest';
import { protectStdout } from '../../../../src/server/stdio/protect-stdout.js';

const METHODS = ['log', 'info', 'debug', 'warn', 'error', 'table'] as const;
const original = globalThis.console;

afterEach(() => {
  globalThis.console = original;
  vi.restoreAllMocks();
});

it('sends console output to stderr', () => {
  const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  protectStdout();
  for (const method of METHODS) console[method](`via ${method}`);
  expect(stdout).not.toHaveBeenCalled();
  const printed = stderr.mock.calls.map(([text]) => String(text)).join('');
  for (const method of METHODS) expect(printed).toContain(`via ${method}`);
});
