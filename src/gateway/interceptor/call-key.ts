import { digest } from '../../base/json/canonical-json.js';
import type { HandlerCall } from '../../base/protocol/call.js';

/**
 * Equal for calls that ask the same: the order of members does not matter, nor does a catalog that was rebuilt from the same
 * definition. Of an upstream that callers share, the caller does not matter either: it sees only the gateway.
 */
export function questionKey({ operation, arguments: args }: HandlerCall): string {
  return `${operation.qualifiedName} ${operation.definition} ${digest(args)}`;
}
