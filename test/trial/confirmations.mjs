import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveCaptured } from './captured-servers.mjs';
import { openGateway } from './gateway.mjs';
import { countStable } from './session.mjs';

/** Confirmations are measured on so many operations, evenly spread. */
const SAMPLE = 40;
/** What a list says of an operation that asks. */
const ASKS = 'needs confirmation]';

/** The tokens of the answers that ask to confirm the example calls of operations, in ascending order. */
export async function countConfirmations(toolsByServer) {
  const root = mkdtempSync(join(tmpdir(), 'mcp-aql-trial-'));
  const captured = await serveCaptured(toolsByServer);
  const gateway = await openGateway(root, captured.mcpServers, 'single');
  const ask = async (operation, params) => {
    const { content } = await gateway.client.callTool({ name: 'mcp_aql', arguments: { operation, params } });
    return { text: content[0].text, envelope: JSON.parse(content[0].text) };
  };
  try {
    const asking = await listAsking(ask);
    const step = Math.ceil(asking.length / SAMPLE);
    const sizes = [];
    for (const name of asking.filter((_, index) => index % step === 0)) {
      const { envelope } = await ask('introspect', { query: 'operations', name });
      const [example] = envelope.data.operation.examples;
      const { text, envelope: answer } = await ask(name, example?.request.params ?? {});
      if (answer.error?.code === 'CONFIRMATION_REQUIRED') sizes.push(countStable(text));
    }
    return sizes.toSorted((a, b) => a - b);
  } finally {
    await gateway.close();
    captured.close();
    rmSync(root, { recursive: true });
  }
}

async function listAsking(ask) {
  const names = [];
  let after;
  do {
    const { envelope } = await ask('introspect', { query: 'operations', first: 200, ...(after && { after }) });
    const { operations, _protocol: protocol } = envelope.data;
    names.push(...operations.filter(({ description }) => description.endsWith(ASKS)).map(({ name }) => name));
    after = protocol.page.after;
  } while (after);
  return names;
}
