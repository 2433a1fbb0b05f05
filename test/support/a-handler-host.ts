import type { HandlerHost } from '../../src/base/protocol/call.js';

/** A host whose operations never change, and which reads nothing. */
export const STILL_HOST: HandlerHost = {
  requireCurrent: async () => undefined,
  calls: {
    families: () => [],
    reads: () => false,
    send: () => Promise.reject(new Error('no call was expected')),
    sendTo: () => Promise.reject(new Error('no call was expected')),
    read: () => Promise.reject(new Error('no read was expected')),
    fetch: () => Promise.reject(new Error('no read was expected')),
    recall: () => true,
    foresee: () => Promise.reject(new Error('no call was expected')),
    askAhead: async () => undefined,
  },
};
