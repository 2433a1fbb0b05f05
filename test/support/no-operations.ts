import type { Snapshot } from '../../src/gateway/pipeline/snapshot.js';

/** A snapshot without an operation, whose one tool reaches everything. */
export const NO_OPERATIONS: Snapshot = {
  catalog: {
    operations: [],
    diagnostics: [],
    upstreams: [],
    holders: new Map(),
    find: () => undefined,
    resolve: () => ({ kind: 'unknown', nearest: [] }),
  },
  plan: {
    mode: 'single',
    profile: 'crude',
    flatUpdates: false,
    families: [],
    tools: [],
    passthrough: [],
    diagnostics: [],
    toolsJson: '[]',
    structuredToolsJson: '[]',
    familyOf: () => {
      throw new Error('there is no operation');
    },
    toolFor: () => 'mcp_aql',
    toolOfFamily: () => 'mcp_aql',
    reachOf: (tool) => (tool === 'mcp_aql' ? 'everything' : undefined),
    isRefused: () => false,
  },
  search: async () => ({ hits: [] }),
  handlerOf: () => async () => ({ data: null }),
  previewOf: () => undefined,
  partsOf: () => [],
  operationsOf: () => [],
  isReachable: () => true,
  isCallable: () => true,
  connections: {
    absenceOf: () => undefined,
    unreadOf: () => undefined,
    introductionOf: () => undefined,
    retryNow: () => undefined,
  },
};
