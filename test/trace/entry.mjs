/** The command line over the modules that the compiler wrote, each in a file of its own: coverage of a bundle names no files. */
import { run } from '../../dist/cli/run.js';
import { PROCESS_TERMINAL } from '../../dist/cli/shared/terminal.js';

await run(process.argv, PROCESS_TERMINAL);
