import type { PageRequest } from '../collection-query.js';

/** A stretch of ordered items; `end` is not part of it. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The stretch that a page request means.
 * @param position the index of the item that the request's cursor was given for
 */
export function cutRange(page: PageRequest, length: number, position?: number): Range {
  switch (page.style) {
    case 'all':
      return { start: 0, end: length };
    case 'offset':
      return clamp(page.offset, page.offset + page.size, length);
    case 'forward': {
      const start = position === undefined ? 0 : position + 1;
      return clamp(start, start + page.size, length);
    }
    case 'backward': {
      const end = position ?? length;
      return clamp(end - page.size, end, length);
    }
  }
}

function clamp(start: number, end: number, length: number): Range {
  const first = Math.min(Math.max(start, 0), length);
  return { start: first, end: Math.max(first, Math.min(end, length)) };
}

/** The cursor that a request goes on from, if it has one. */
export function cursorOf(page: PageRequest): string | undefined {
  if (page.style === 'forward') return page.after;
  return page.style === 'backward' ? page.before : undefined;
}
