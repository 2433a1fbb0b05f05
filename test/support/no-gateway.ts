import type { GatewayFigures } from '../../src/base/observe/metrics/figures.js';
import type { NativeSurface } from '../../src/gateway/gateway.js';

/** Of a gateway without clients. */
export const NO_FIGURES: GatewayFigures = {
  upstreams: [],
  operations: {},
  dependencies: {},
  lostRecords: 0,
  threads: { busy: 0, waiting: 0 },
};

/** Of a gateway that has nothing but tools. */
export const NO_NATIVE_SURFACE: NativeSurface = {
  capabilities: () => ({}),
  answer: async () => Promise.reject(new Error('there are tools alone')),
  listen: () => () => undefined,
  endSubscriber: () => undefined,
};
