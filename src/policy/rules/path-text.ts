import { posix } from 'node:path';

/** A text as patterns see it: in segments, as written and as a file system would resolve it. */
export interface PathText {
  /** Repeated and trailing slashes removed, as patterns have them. */
  readonly written: readonly string[];
  /** Backslashes read as slashes, `.` and `..` resolved. */
  readonly resolved: readonly string[];
  /** The resolved path ending in a slash: what a deed to a directory does to all inside it. */
  readonly directory: readonly string[];
  /** Whether it leads to, or out of, a starting point that is not known here: `.`, `../x`. */
  readonly unplaced: boolean;
}

/** Splits at slashes; an absolute path begins with an empty segment, and `/` alone is two. */
export function splitPath(path: string): readonly string[] {
  const segments = path.split(/\/+/);
  const last = segments.length - 1;
  const isRoot = segments.length === 2 && segments[0] === '';
  return last > 0 && segments[last] === '' && !isRoot ? segments.slice(0, last) : segments;
}

/**
 * Reads a text that may be a path. Links, letter case and encodings are the upstream's affair: rules are held against what is
 * written, not against files.
 */
export function readPathText(text: string): PathText {
  const resolved = text === '' ? [''] : splitPath(posix.normalize(text.replaceAll('\\', '/')));
  return {
    written: splitPath(text),
    resolved,
    directory: [...resolved, ''],
    unplaced: resolved[0] === '..' || resolved[0] === '.',
  };
}
