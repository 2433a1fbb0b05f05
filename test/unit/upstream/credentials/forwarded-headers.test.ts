import { expect, it } from 'vitest';
import { CarriedHeaders } from '../../../../src/base/protocol/caller.js';
import { Cancellation } from '../../../../src/base/protocol/cancellation.js';
import { HeaderRights } from '../../../../src/upstream/credentials/forwarded-headers.js';

it('passes headers on up to 16 kB together, and says of longer ones what the bound is', async () => {
  const rights = new HeaderRights('crm', { type: 'forwardHeaders', headers: ['x-a', 'x-b'], discovery: {} });
  const require = (length: number): Promise<void> => {
    const carried = new CarriedHeaders(new Map(['x-a', 'x-b'].map((name) => [name, 'v'.repeat(length)])));
    const caller = { sessionId: 's', clientName: 'c', transport: 'http', carried } as const;
    return rights.require({ caller, cancellation: new Cancellation() });
  };
  await require(8_000);
  await expect(require(8_200)).rejects.toMatchObject({
    details: { limit_type: 'forwarded_headers', limit_value: 16_384 },
  });
});
