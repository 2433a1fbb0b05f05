import { GATEWAY_SOURCE } from '../protocol/operation.js';
import { OperationError } from '../protocol/operation-error.js';
import { EXECUTION } from './directive-names.js';
import type { ValidatedCall } from './validate.js';

/** The categories whose calls may be long and are asked for again without harm: the others change something, and are waited for. */
const CATEGORIES: ReadonlySet<string> = new Set(['READ', 'EXECUTE']);

/** Throws where a call asks to go on in the background, and cannot. */
export function requireBackground(call: ValidatedCall, isOffered: boolean): void {
  if (call.directives.background !== true) return;
  const { name } = call.operation;
  const obstacle = isOffered ? findObstacle(call) : "the operator has not set 'executions.enabled'";
  if (obstacle === undefined) return;
  throw new OperationError(
    'VALIDATION_INVALID_VALUE',
    `Operation '${name}' cannot run in the background: ${obstacle}. Call it without '${EXECUTION}'`,
    { operation: name, param_name: EXECUTION },
  );
}

/** Why a call cannot go on in the background; undefined where it can. */
export function findObstacle({ operation, raw }: Pick<ValidatedCall, 'operation' | 'raw'>): string | undefined {
  const { upstream, classification, passthrough, primitive } = operation;
  if (raw.native !== undefined || primitive !== undefined) return 'it is a request of MCP itself';
  if (upstream === GATEWAY_SOURCE) return 'it has its answer immediately';
  if (passthrough !== undefined) return "tools under their own names answer in their servers' form";
  if (!CATEGORIES.has(classification.category))
    return `it is ${classification.category}, and READ and EXECUTE alone can`;
  return undefined;
}
