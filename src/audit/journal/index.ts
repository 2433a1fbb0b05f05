import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { faultCode } from '../../config/secrets.js';
import { type JournalMark, type JournalRecord, listJournals, readLine, readMarks } from './line.js';
import { readFirstLine, readLastLines } from './read.js';

/** What the ends of one journal say. */
export interface JournalEnds {
  readonly file: string;
  /** When its newest record was made, ISO 8601; of a journal without one, when the file was changed. */
  readonly newest: string;
  /** Its last sound record; undefined where there is none. */
  readonly last: JournalMark | undefined;
  /** The records of other journals that its first one names. */
  readonly named: readonly JournalMark[];
  /** Where its last complete line ends, in bytes. */
  readonly end: number;
}

/** The ends of a directory's journals, read again only where a file has grown. */
export interface JournalIndex {
  /** Reads everything once, with pauses for others. Afterwards a look at the directory costs little. */
  warm(): Promise<void>;
  /** The ends as they are now, the oldest journal first; none while there is no directory. */
  read(): readonly JournalEnds[];
}

/** Journals that are read before others get their turn. */
const TURN = 32;

/** How far back the last sound line is looked for; there is more than one unsound line only where somebody wrote it. */
const LINES_LOOKED_AT = 16;

export function createJournalIndex(directory: string): JournalIndex {
  const known = new Map<string, { readonly size: number; readonly ends: JournalEnds }>();
  const look = (file: string): readonly JournalEnds[] => {
    try {
      const path = join(directory, file);
      const { size, mtime } = statSync(path);
      const cached = known.get(file);
      if (cached?.size === size) return [cached.ends];
      const ends = readEnds(path, file, mtime);
      known.set(file, { size, ends });
      return [ends];
    } catch {
      // Another gateway may have removed it since the listing; and one that cannot be read must not keep others from being
      // written. `audit verify` tells of it.
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
 * The journals' last records that no journal names yet. Whoever begins a journal names these, and thereby all: each
 * record that is named stands in a journal whose own end is named, or is among these.
 */
export function findLooseEnds(ends: readonly JournalEnds[]): readonly JournalMark[] {
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

function readEnds(path: string, file: string, changed: Date): JournalEnds {
  const first = readSound(readFirstLine(path));
  const { lines, end } = readLastLines(path, LINES_LOOKED_AT);
  const last = lines.map(readSound).findLast((record) => record !== undefined);
  return {
    file,
    newest: last?.time ?? changed.toISOString(),
    last: last && { file, seq: last.seq, hash: last.hash },
    named: readMarks(first?.['previous']),
    end,
  };
}

function readSound(bytes: Buffer | undefined): JournalRecord | undefined {
  if (bytes === undefined) return undefined;
  const { record, sound } = readLine(bytes);
  return sound ? record : undefined;
}
