import type { HandlerHost } from '../../src/base/protocol/call.js';

/** A host whose operations never change, and which reads nothing. */
export const STILL_HOST: HandlerHost = {
  requireCurrent: () => undefined,
  read: () => Promise.reject(new Error('no read was expected')),
  calls: {
    families: () => [],
    reads: () => false,
    send: () => Promise.reject(new Error('no call was expected')),
    recall: () => true,
    foresee: () => Promise.reject(new Error('no call was expected')),
    askAhead: async () => undefined,
  },
};
