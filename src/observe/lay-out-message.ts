import { escapeInvisible } from '../protocol/invisible-text.js';

/**
 * A message as a terminal shows it. Clients and upstreams choose some of its words: those must neither steer the terminal nor pass
 * for lines of the log's own.
 */
export function layOutMessage(message: string): string {
  return escapeInvisible(message).replaceAll('\n', '\n    ');
}
