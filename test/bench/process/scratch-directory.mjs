import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made = new Set();

process.on('exit', () => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

/** A directory of its own, gone when the bench ends, however it ends. */
export function makeScratchDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-aql-bench-'));
  made.add(directory);
  return directory;
}
