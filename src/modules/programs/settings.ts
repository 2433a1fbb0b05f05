import { boolean, integer, type Output, section } from '../../config/schema/setting.js';

const MIB = 1024 * 1024;

export const PROGRAMS = section('Programs over operations, in a sandbox ([programs](programs.md)).', {
  enabled: boolean('Offer `run_program` and `run_program_read_only`.', false),
  timeoutMs: integer(
    1_000,
    86_400_000,
    'The longest that a program takes, with its calls, in milliseconds; `timeout_ms` of a call can only shorten it.',
    300_000,
  ),
  computeMs: integer(100, 600_000, 'Of that, what it may compute by itself, its calls not counted.', 5_000),
  memoryMegabytes: integer(16, 1_024, 'Memory of one program.', 64),
  maxCalls: integer(1, 100_000, 'Calls of one program.', 500),
  maxParallel: integer(1, 64, 'Reads of one program that run beside each other.', 8),
  maxCodeBytes: integer(1_024, 10 * MIB, 'Bytes of its code.', 65_536),
  maxInputBytes: integer(1_024, 10 * MIB, 'Bytes of its input, and of each of its calls, as JSON.', 1_048_576),
  maxAnswerBytes: integer(
    65_536,
    100 * MIB,
    'Bytes of the answers to all of its calls together: they are kept where it stops for a confirmation.',
    4_194_304,
  ),
  maxResultBytes: integer(
    1_024,
    100 * MIB,
    'Bytes of what it returns, before that is sent as any answer is.',
    1_048_576,
  ),
  maxConsoleBytes: integer(0, MIB, 'Bytes of its `console.log` that are sent.', 10_000),
  max: integer(1, 256, 'Programs that run at once; each has a thread.', 8),
  maxPerClient: integer(1, 256, 'Of these, those of one client.', 2),
  keptSeconds: integer(60, 86_400, 'How long a program that has stopped for a confirmation can go on.', 900),
});

export type ProgramSettings = Output<typeof PROGRAMS>;
