import { run } from './run.js';
import { EXIT_CODE } from './shared/exit-code.js';
import { PROCESS_TERMINAL } from './shared/terminal.js';

/** Runs the command line of this process; the entry of the bundle. */
export async function start(): Promise<void> {
  // A reader that closes its end early (`| head`) is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT_CODE.ok);
    throw error;
  });
  await run(process.argv, PROCESS_TERMINAL);
}
