import { ERROR_TABLE } from '../protocol/error-table.js';
import type { Observation } from './observation.js';

type Code = Extract<Observation, { readonly kind: 'call' }>['code'];

/** A refusal is an answer; a failure is a fault of a server or of the gateway. */
export type Outcome = 'ok' | 'refused' | 'failed';

export function outcomeOf(code: Code): Outcome {
  if (code === 'OK') return 'ok';
  return ERROR_TABLE[code].recoverable ? 'refused' : 'failed';
}
