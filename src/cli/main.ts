#!/usr/bin/env node
import * as nodeModule from 'node:module';
import { EXIT_CODE } from './exit-code.js';
import { PROCESS_TERMINAL } from './terminal.js';

// Node 22.1 and newer keep compiled code between starts, a fifth of the time to load everything; older ones go without.
// https://nodejs.org/api/module.html#moduleenablecompilecachecachedir
if ('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function') {
  nodeModule.enableCompileCache();
}

// A reader that closes its end early (`| head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT_CODE.ok);
  throw error;
});

// Imported only now: what is imported statically is compiled before the cache is on.
const { run } = await import('./run.js');
await run(process.argv, PROCESS_TERMINAL);
