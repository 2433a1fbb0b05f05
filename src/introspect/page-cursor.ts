import { createHash } from 'node:crypto';

/** The last item of a page: where it stood and what it was called. */
export interface Position {
  readonly index: number;
  readonly name: string;
}

/** Characters of the digest: enough to notice damage and foreign cursors; there is nothing here to protect. */
const DIGEST_LENGTH = 8;

/**
 * Writes a position as an opaque, URL-safe cursor that counts for one scope only (the query and its filters). It holds no
 * state on the server, so that it survives restarts and works on every replica.
 */
export function writeCursor(scope: string, { index, name }: Position): string {
  const position = `${index}:${name}`;
  return Buffer.from(`${digest(scope, position)}${position}`).toString('base64url');
}

/** The position in a cursor; undefined when the text is not a cursor that this scope has written. */
export function readCursor(scope: string, cursor: string): Position | undefined {
  const text = Buffer.from(cursor, 'base64url').toString().slice(DIGEST_LENGTH);
  const separator = text.indexOf(':');
  const position = { index: Number(text.slice(0, Math.max(0, separator))), name: text.slice(separator + 1) };
  return writeCursor(scope, position) === cursor ? position : undefined;
}

function digest(scope: string, position: string): string {
  return createHash('sha256').update(`${scope}\n${position}`).digest('base64url').slice(0, DIGEST_LENGTH);
}
