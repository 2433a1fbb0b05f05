import { readFileSync } from 'node:fs';

/** The kernel reports CPU time in these units, whatever its own timer does (USER_HZ, proc(5)). */
const MICROSECONDS_PER_TICK = 10_000;

/** CPU time a process has used so far in microseconds; undefined where there is no /proc. */
export function cpuMicroseconds(pid) {
  const stat = readProc(pid, 'stat');
  if (stat === undefined) return undefined;
  // The program's name stands in parentheses and may contain spaces; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK;
}

/** Resident memory of a process in kB; undefined where there is no /proc. */
export function residentKilobytes(pid) {
  const kilobytes = readProc(pid, 'status')?.match(/^VmRSS:\s+(\d+) kB/m)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes);
}

function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // No /proc here, or the process is gone: the figure is left out of the report.
    return undefined;
  }
}
