import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { faultCode } from '../../../base/lib/fault-code.js';
import { type JournalMark, type JournalRecord, listJournals, readLine, readMarks } from './line.js';
import { readFirstLine, readLastLines } from './read.js';

/** The first and the last record of one journal, as far as the chain of journals needs them. */
export interface JournalEnds {
  readonly file: string;
  /** When its newest record was made, ISO 8601; for a journal without one, when the file was changed. */
  readonly newest: string;
  /** Its last unaltered record; undefined where there is none. */
  readonly last: JournalMark | undefined;
  /** The records of other journals that its first record names. */
  readonly named: readonly JournalMark[];
  /** Where its last complete line ends, in bytes. */
  readonly end: number;
  /** In bytes. */
  readonly size: number;
  /** Whether its end was written. */
  readonly closed: boolean;
}

/** The ends of a directory's journals. A file is read again only when it has grown. */
export interface JournalIndex {
  /** Reads all journals once, yielding to the event loop in between. Later reads are cheap. */
  warm(): Promise<void>;
  /** The current ends, the oldest journal first; none while there is no directory. */
  read(): readonly JournalEnds[];
}

/** How many journals are read before the event loop continues. */
const TURN = 32;

/** How many last lines are searched for an unaltered one. A crash leaves at most one altered line. */
const LINES_LOOKED_AT = 16;

export function createJournalIndex(directory: string): JournalIndex {
  const known = new Map<string, { readonly size: number; readonly ends: JournalEnds }>();
  const look = (file: string): readonly JournalEnds[] => {
    try {
      const path = join(directory, file);
      const { size, mtime } = statSync(path);
      const cached = known.get(file);
      if (cached?.size === size) return [cached.ends];
      const ends = readEnds(path, file, { size, mtime });
      known.set(file, { size, ends });
      return [ends];
    } catch {
      // Another gateway may have removed the file since it was listed, and an unreadable one must not stop this gateway from
      // writing its own. `audit verify` reports it.
      return [];
    }
  };
  return {
    async warm() {
      for (const [index, file] of list(directory).entries()) {
        if (index % TURN === TURN - 1) await nextTurn();
        look(file);
      }
    },
    read: () => list(directory).flatMap(look),
  };
}

/**
 * The last records of journals that no journal names yet. A new journal names these, and thereby all: each named record is in
 * a journal whose own end is named or among these.
 */
export function findUnnamedEnds(ends: readonly JournalEnds[]): readonly JournalMark[] {
  const named = new Set(ends.flatMap((each) => each.named.map(({ hash }) => hash)));
  return ends.flatMap(({ last }) => (last === undefined || named.has(last.hash) ? [] : [last]));
}

function list(directory: string): readonly string[] {
  try {
    return listJournals(directory);
  } catch (cause) {
    if (faultCode(cause) === 'ENOENT') return [];
    throw cause;
  }
}

function readEnds(
  path: string,
  file: string,
  { size, mtime }: { readonly size: number; readonly mtime: Date },
): JournalEnds {
  const first = readSound(readFirstLine(path));
  const { lines, end } = readLastLines(path, LINES_LOOKED_AT);
  const last = lines.map(readSound).findLast((record) => record !== undefined);
  return {
    file,
    newest: last?.time ?? mtime.toISOString(),
    last: last && { file, seq: last.seq, hash: last.hash },
    named: readMarks(first?.['previous']),
    end,
    size,
    closed: last?.type === 'closed',
  };
}

function readSound(bytes: Buffer | undefined): JournalRecord | undefined {
  if (bytes === undefined) return undefined;
  const { record, sound } = readLine(bytes);
  return sound ? record : undefined;
}
