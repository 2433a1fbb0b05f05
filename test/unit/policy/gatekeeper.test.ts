import { describe, expect, it } from 'vitest';
import { createGatekeeper } from '../../../src/policy/gatekeeper.js';
import { DANGER_LEVELS, type DangerLevel } from '../../../src/protocol/danger.js';
import { anOperation } from '../../support/an-operation.js';

const caller = { sessionId: 's', clientName: 'c', transport: 'http' } as const;

function decide(level: DangerLevel): unknown {
  const classification = { ...anOperation().classification, danger: { level, reasons: ['it drops'] } };
  const operation = anOperation({ name: 'drop_table', classification });
  try {
    return createGatekeeper(() => 'validated')({ operation, arguments: {}, caller });
  } catch (error) {
    return error;
  }
}

describe('the default gate', () => {
  it.each(DANGER_LEVELS.filter((level) => level !== 'forbidden'))('lets %s operations through', (level) => {
    expect(decide(level)).toBeUndefined();
  });

  it('refuses forbidden ones and says why', () => {
    expect(decide('forbidden')).toMatchObject({
      code: 'PERMISSION_DANGER_LEVEL_DENIED',
      message: "Operation 'drop_table' (danger: forbidden) denied for adapter trust level 'validated'",
      details: {
        operation: 'drop_table',
        danger_level: 'forbidden',
        adapter_trust: 'validated',
        reasons: ['it drops'],
      },
    });
  });
});
