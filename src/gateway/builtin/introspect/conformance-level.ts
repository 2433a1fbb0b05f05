/**
 * The level that the gateway meets over the servers of the shipped configuration, as `mcp-aql-gateway conformance` measures it.
 * Generated: test/feature/conformance.test.ts compares it, and writes it with UPDATE_DOCS=1.
 */
export const CONFORMANCE_LEVEL: 'none' | 'level-1' | 'level-2' = 'level-2';
