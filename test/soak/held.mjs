/**
 * Loaded into the gateway before its own code: writes to the file of SOAK_HELD the processor time of the longest turn of the
 * event loop since the last signal SIGUSR2. Unlike a pause seen from outside it does not depend on what else the machine does.
 */
import { openSync, readSync, writeFileSync } from 'node:fs';

const schedule = openSync('/proc/thread-self/schedstat', 'r');
const bytes = Buffer.alloc(64);

/** Milliseconds of processor time that this thread has taken. */
function processorTime() {
  const length = readSync(schedule, bytes, 0, bytes.length, 0);
  return Number(bytes.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6;
}

const file = process.env.SOAK_HELD;
if (file !== undefined) {
  let last = processorTime();
  let longest = 0;
  // Timers run once in each turn that follows a millisecond, so what lies between two runs is a turn, or some of a millisecond.
  const look = () => {
    const now = processorTime();
    longest = Math.max(longest, now - last);
    last = now;
  };
  setInterval(look, 1).unref();
  process.on('SIGUSR2', () => {
    look();
    writeFileSync(file, `${longest.toFixed(1)}\n`);
    longest = 0;
  });
}
