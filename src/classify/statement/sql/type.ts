import type { Cursor } from '../cursor.js';
import { NotProven } from '../not-proven.js';
import { PURE_TYPES } from './dialect.js';

/**
 * Reads a type's words, its size and `[]`. A type that is not listed may be one of the database's own users.
 * @param own reads the name of such a type, where it may be one
 */
export function readType(cursor: Cursor, own?: () => unknown): void {
  const { text, at } = cursor.peek();
  if (own !== undefined && !cursor.isAnyOf(PURE_TYPES)) own();
  else if (!cursor.takesAnyOf(PURE_TYPES))
    throw new NotProven(`a conversion to '${text.slice(0, 40)}' (character ${at}) may run a function of that type`);
  while (cursor.takesAnyOf(PURE_TYPES));
  if (cursor.takesSymbol('(')) {
    cursor.list(() => {
      const size = cursor.next();
      if (size.kind !== 'number' && size.text !== 'max') cursor.refuse(size);
    });
    cursor.needsSymbol(')');
  }
  if (cursor.takes('with', 'time', 'zone') || cursor.takes('without', 'time', 'zone')) return;
  while (cursor.takesSymbol('[')) cursor.needsSymbol(']');
}
