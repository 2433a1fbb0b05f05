import { callPayload } from '../load/payload.mjs';
import { compareGateways } from './compare-gateways.mjs';

/** In all rows but the last no agent runs: what is measured is what every call pays. */
const MODES = {
  disabled: undefined,
  'disabled, measured again: the noise': undefined,
  logging: { mode: 'logging' },
  monitoring: { mode: 'monitoring' },
  'enforcing, a READ that passes freely': { mode: 'enforcing' },
  'enforcing, a call that needs a report': { mode: 'enforcing', freeReads: false },
};

const AGENT = { element_name: 'bench' };

/** The report itself, in place of a call: which operation is meant, its risk, and the record of it. */
const REPORT = {
  settings: { safetyLoop: { mode: 'enforcing', startApproval: 'none', maxAutonomousSteps: 100_000 } },
  prepare: callPayload({
    operation: 'execute_agent',
    family: 'execute',
    params: AGENT,
    expects: { status: 'running' },
  }),
  payload: callPayload({
    operation: 'record_execution_step',
    family: 'create',
    params: { ...AGENT, next_action_hint: 'calling get_text for number $id' },
    expects: { continue: true },
  }),
};

/** What a short call costs more where the safety loop is on, and what the report of a step costs. */
export function measureSafety(context) {
  const modes = Object.entries(MODES).map(([name, safetyLoop]) => [name, { settings: safetyLoop && { safetyLoop } }]);
  return compareGateways(context, 'safety', {
    ...Object.fromEntries(modes),
    'enforcing, the report of a step itself': REPORT,
  });
}
