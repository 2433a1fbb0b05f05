import { expect, it } from 'vitest';
import { writeInstructions } from '../../../../src/server/mcp/describe-server.js';

it('says the first call, what answers take, how a batch runs, and how to confirm', () => {
  for (const mode of ['semantic', 'single', 'all'] as const) {
    const instructions = writeInstructions(mode);
    for (const fact of [
      /introspect \{query: 'upstreams'\}/,
      /every READ .* 'filter'/i,
      /in order and halts/,
      /\{_confirmation: /,
    ])
      expect(instructions).toMatch(fact);
  }
});
