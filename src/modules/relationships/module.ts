import type { Module } from '../../gateway/module.js';
import { listRelationSources } from './graph.js';
import { createRelationshipsHandler } from './handler.js';
import { createRelationshipsOperation } from './operation.js';

/** The operation that follows declared relations; none where none are declared. */
export const relationships: Module = {
  name: 'relationships',
  isOn: () => true,
  operations: (shown) => {
    const operation = createRelationshipsOperation(listRelationSources(shown));
    return operation === undefined ? [] : [operation];
  },
  open: async () => ({ handle: (call, shown) => createRelationshipsHandler(listRelationSources(shown))(call) }),
};
