#!/usr/bin/env node
// What Node 12 can read, and nothing of the program is imported before it is known that this Node can read it, too.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const oldest: string = engines.node.replace('>=', '');
const own = process.versions.node;

if (isOlder(own, oldest)) {
  process.stderr.write(
    `mcp-aql-gateway needs Node.js ${oldest} or newer, and this is ${own}: install a newer one, or run it with another\n`,
  );
  process.exitCode = 1;
} else {
  // As Node does for a module that is still waiting when nothing is left to wait for.
  const noteUnfinished = () => {
    process.exitCode = 13;
  };
  process.once('beforeExit', noteUnfinished);
  void import('./load-program.js')
    .then(({ loadProgram }) => loadProgram().start())
    .then(() => process.off('beforeExit', noteUnfinished));
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = than.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
