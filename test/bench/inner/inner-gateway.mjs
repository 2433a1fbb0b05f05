import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const UPSTREAM = 'bench';
/** An upstream that is never connected. */
const MCP_SERVERS = { [UPSTREAM]: { type: 'http', url: 'http://127.0.0.1:9/mcp' } };
const CALLER = { sessionId: 'bench', clientName: 'bench-client', transport: 'http' };

export const IGNORE = () => undefined;

const ALLOWED = Object.freeze({ outcome: 'allowed' });
const allowAlways = () => ({ effect: 'allow', requires: 'token', conditional: false });

/** Lets everything through unchecked, and keeps no record. */
export const OPEN_SERVICE = {
  gatekeeper: { admit: () => ALLOWED, staticDecision: allowAlways, recall: async () => undefined },
  recordCall: IGNORE,
};

/** The defaults but for `sections`, read as the gateway reads them. @param cwd a folder to make and to keep state in */
export async function configure({ loadConfig, ensureDataDirectories }, cwd, sections = {}) {
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'gateway.config.json'), JSON.stringify({ mcpServers: MCP_SERVERS, ...sections }));
  const { config } = await loadConfig({ env: {}, cwd });
  await ensureDataDirectories(config);
  return config;
}

/** @param answer makes of a call's arguments what the upstream answers, in the way of a tool's `content` */
export function buildInnerSnapshot({ buildSnapshot }, config, tools, answer) {
  return buildSnapshot({
    config,
    toolSets: [{ upstream: UPSTREAM, tools }],
    // Only introspection needs these, and it is not called.
    policy: { staticDecision: allowAlways, revokeToken: IGNORE },
    handlers: {
      over: () => ({
        handlerOf:
          () =>
          async ({ operation, arguments: args }) => ({
            toolResult: { content: [{ type: 'text', text: await answer(args, operation.tool) }] },
          }),
        previewOf: IGNORE,
      }),
    },
  });
}

/**
 * The built gateway's own pipeline. Each call is a new object, as a server makes it from a message.
 * @param services `{gatekeeper, recordCall, results}`
 * @returns a function that takes `{tool, operation, params, sessionId?}` and resolves with the reply
 */
export function createPass({ createPipeline, unlimitedQuota, Cancellation }, services, config, snapshot) {
  const { answer } = createPipeline({
    ...services,
    catalog: { current: () => snapshot, currentFor: () => snapshot },
    limits: config.limits,
    quota: unlimitedQuota,
    observe: IGNORE,
    isFirstWarning: () => true,
    slowMs: config.warnings.slowMs,
    dropIgnored: (_operation, params) => ({ params, ignored: [] }),
  });
  return ({ tool, operation, params, sessionId = CALLER.sessionId }) => {
    const call = {
      tool,
      arguments: { operation, params },
      caller: { ...CALLER, sessionId },
      cancellation: new Cancellation(),
    };
    return answer(call, snapshot);
  };
}
