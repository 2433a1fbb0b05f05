import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import { makeDirectory, type RunningGateway } from '../support/gateway-folder.js';
import { hostGateway } from '../support/hosted-gateway.js';
import type { ReplayServer } from '../support/replay-server.js';
import { BINARY } from '../support/served-gateway.js';

let upstream: ReplayServer;
let gateway: RunningGateway;
let directory: Awaited<ReturnType<typeof makeDirectory>>;
let configFile: string;

beforeAll(async () => {
  upstream = await startDangerUpstream();
  const match = { operation: 'do_destructive' };
  const config = {
    policy: { rules: [{ match, decision: 'confirm', requires: 'human' }], approvals: { operator: false } },
    mcpServers: { demo: dangerEntry(upstream) },
  };
  gateway = await hostGateway(config);
  directory = await makeDirectory();
  configFile = join(directory.path, 'gateway.config.json');
  await writeFile(configFile, JSON.stringify({ ...config, store: { type: 'memory' } }));
});

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await directory?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

/** A client's user, who can or cannot be asked. */
interface Person {
  readonly canBeAsked: boolean;
  readonly approves: boolean;
  readonly questions: string[];
}

const aPerson = (approves: boolean, canBeAsked = true): Person => ({ canBeAsked, approves, questions: [] });

const capabilitiesOf = ({ canBeAsked }: Person) => (canBeAsked ? { elicitation: {} } : {});

const answer = (person: Person, question: string) => {
  person.questions.push(question);
  return { action: 'accept' as const, content: { approve: person.approves } };
};

type AnyClient = Pick<Client, 'callTool' | 'close'>;

function newClient(mode: 'auto' | 'legacy', person: Person): Client {
  const options = { versionNegotiation: { mode }, capabilities: capabilitiesOf(person) };
  const client = new Client({ name: 'v2', version: '1' }, options);
  if (person.canBeAsked) {
    client.setRequestHandler('elicitation/create', ({ params }) => answer(person, params.message));
  }
  return client;
}

function oldClient(person: Person): OldClient {
  const client = new OldClient({ name: 'v1', version: '1' }, { capabilities: capabilitiesOf(person) });
  if (person.canBeAsked) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(person, params.message));
  }
  return client;
}

const program = () => ({ command: process.execPath, args: [BINARY, 'stdio', '--config', configFile] });
const silent = 'ignore' as const;

const WAYS: readonly (readonly [string, (person: Person) => Promise<AnyClient>])[] = [
  ...(['auto', 'legacy'] as const).flatMap((mode) => [
    [
      `SDK v2, ${mode}, HTTP`,
      async (person: Person) => {
        const client = newClient(mode, person);
        await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
        return client;
      },
    ] as const,
    [
      `SDK v2, ${mode}, stdio`,
      async (person: Person) => {
        const client = newClient(mode, person);
        await client.connect(new StdioClientTransport({ ...program(), stderr: silent }));
        return client;
      },
    ] as const,
  ]),
  [
    'SDK v1, HTTP',
    async (person) => {
      const client = oldClient(person);
      await client.connect(new OldHttpTransport(new URL(gateway.url)));
      return client as unknown as AnyClient;
    },
  ],
  [
    'SDK v1, stdio',
    async (person) => {
      const client = oldClient(person);
      await client.connect(new OldStdioTransport({ ...program(), stderr: silent }));
      return client as unknown as AnyClient;
    },
  ],
];

async function destroy(client: AnyClient): Promise<{ success: boolean; error?: { code: string; message: string } }> {
  const params = { operation: 'do_destructive', params: { path: '/a' } };
  const { content } = (await client.callTool({ name: EXECUTE, arguments: params })) as {
    content: readonly { readonly text: string }[];
  };
  return JSON.parse(content[0]?.text ?? 'null');
}

describe.each(WAYS)('%s: a call that needs a person', (_name, connect) => {
  it('runs only when the user approves, and asks for each call', async () => {
    const before = upstream.calls.length;
    for (const approves of [true, false]) {
      const person = aPerson(approves);
      const client = await connect(person);
      try {
        expect((await destroy(client)).success).toBe(approves);
        expect((await destroy(client)).success).toBe(approves);
      } finally {
        await client.close();
      }
      expect(person.questions).toHaveLength(2);
      expect(person.questions[0]).toContain('do_destructive');
    }
    expect(upstream.calls).toHaveLength(before + 2);
  });

  it('is refused where the client cannot ask', async () => {
    const before = upstream.calls.length;
    const client = await connect(aPerson(true, false));
    try {
      expect((await destroy(client)).error).toMatchObject({ code: 'PERMISSION_DENIED' });
    } finally {
      await client.close();
    }
    expect(upstream.calls).toHaveLength(before);
  });
});
