import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildTools } from '../server/catalogue.mjs';
import { CATALOGUE_SIZE } from './gated-calls.mjs';
import { GATES } from './gates.mjs';

const MODULES = [
  'build-snapshot.js',
  'config/ensure-data-directories.js',
  'config/load-config.js',
  'pipeline/pipeline.js',
  'policy/open-policy-desk.js',
  'policy/quota.js',
  'protocol/cancellation.js',
];

const UPSTREAM = 'bench';
/** Nobody connects to it. */
const MCP_SERVERS = { [UPSTREAM]: { type: 'http', url: 'http://127.0.0.1:9/mcp' } };
const CALLER = { sessionId: 'bench', clientName: 'bench-client', transport: 'http' };
const IGNORE = () => undefined;

/** Lets everything through unseen, and keeps no record. */
const ALLOWED = Object.freeze({ outcome: 'allowed' });
const OPEN_DESK = { gatekeeper: { admit: () => ALLOWED, outlook: IGNORE }, recordCall: IGNORE };

/**
 * The built gateway's own pipeline once for each gate, over one catalog and an upstream that answers at once.
 * @param modules the folder of the build, `dist`
 * @param directory where the gates keep their state
 * @returns for each gate `{name, refuses, pass}`; `pass` takes one of `gated-calls.mjs` and resolves with the reply
 */
export async function openGates(modules, directory) {
  const built = await importBuilt(modules);
  const config = await configure(built, join(directory, 'catalog'), []);
  const snapshot = buildSnapshot(built, config);
  return await Promise.all(
    GATES.map(async ({ name, rules, refuses }) => {
      const desk = rules === undefined ? OPEN_DESK : await openDesk(built, join(directory, name), rules);
      return { name, refuses, pass: createPass(built, desk, config, snapshot) };
    }),
  );
}

async function importBuilt(modules) {
  return Object.assign({}, ...(await Promise.all(MODULES.map((file) => import(pathToFileURL(join(modules, file)))))));
}

/** The defaults but for the rules, read as the gateway reads them. */
async function configure({ loadConfig, ensureDataDirectories }, cwd, rules) {
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'gateway.config.json'), JSON.stringify({ mcpServers: MCP_SERVERS, policy: { rules } }));
  const { config } = await loadConfig({ env: {}, cwd });
  await ensureDataDirectories(config);
  return config;
}

async function openDesk(built, directory, rules) {
  return await built.openPolicyDesk(await configure(built, directory, rules), { observe: IGNORE, process: 'bench' });
}

function buildSnapshot(built, config) {
  return built.buildSnapshot({
    config,
    toolSets: [{ upstream: UPSTREAM, tools: buildTools(CATALOGUE_SIZE) }],
    // Introspection alone asks these, and nobody introspects.
    policy: { outlook: IGNORE, revokeToken: IGNORE },
    upstreamHandler: async ({ arguments: { text } }) => ({ toolResult: { content: [{ type: 'text', text }] } }),
  });
}

/** Each call is made anew, as a front makes it of a message. */
function createPass(
  { createPipeline, unlimitedQuota, Cancellation },
  { gatekeeper, recordCall },
  { limits },
  snapshot,
) {
  const pipeline = createPipeline({ gatekeeper, recordCall, limits, quota: unlimitedQuota, observe: IGNORE });
  return ({ tool, operation, text }) => {
    const call = { tool, arguments: { operation, params: { text } }, caller: CALLER, cancellation: new Cancellation() };
    return pipeline(call, snapshot);
  };
}
