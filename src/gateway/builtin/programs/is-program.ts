import { GATEWAY_SOURCE, type Operation } from '../../../base/protocol/operation.js';

/** Apart from the operations themselves, which are made where programs are configured. */
export const RUN_PROGRAM = 'run_program';
export const RUN_PROGRAM_READ_ONLY = 'run_program_read_only';

/** Whether calls of the operation run programs. */
export function isProgram({ upstream, name }: Pick<Operation, 'upstream' | 'name'>): boolean {
  return upstream === GATEWAY_SOURCE && (name === RUN_PROGRAM || name === RUN_PROGRAM_READ_ONLY);
}
