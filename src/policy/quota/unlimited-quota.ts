import type { QuotaDesk } from './quota-desk.js';

/** The quotas of a gateway that calls nothing. */
export const unlimitedQuota: QuotaDesk = {
  charge: () => undefined,
  settle: () => undefined,
  noteLimits: () => undefined,
  status: () => Promise.resolve({}),
};
