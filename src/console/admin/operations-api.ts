import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { addServer, removeServer, setServerDisabled } from '../../config/edit/change-servers.js';
import type { Gateway } from '../../gateway/gateway.js';
import { changeConfiguration } from './change-configuration.js';
import { guardOperators, OPERATOR, type OperatorAccess, refuse } from './operator-access.js';
import { type ApprovalsProblem, readJsonBody } from './problems.js';

const PATH = '/admin';

interface OneServer {
  readonly Params: { readonly name: string };
}

/**
 * The HTTP API by which operators run the gateway, each with a bearer token of their own:
 * `GET /admin/status` -> the state of the gateway and of each upstream,
 * `POST /admin/reload` -> how the configuration was taken,
 * `POST /admin/upstreams/:name/restart` starts or connects one anew, also one that was given up,
 * `POST /admin/upstreams/:name/enable` and `.../disable`, `PUT /admin/upstreams/:name` with an entry of `mcpServers`, and
 * `DELETE /admin/upstreams/:name` change the file, keep its comments, and answer how the gateway has taken the change.
 * Refusals are `{error: {code, message}}`.
 */
export function registerOperations(app: FastifyInstance, gateway: Gateway, access: OperatorAccess): void {
  app.register((api, _options, done) => {
    guardOperators(api, access, PATH);
    api.get(`${PATH}/status`, async (_request, reply) => reply.send(describeStatus(gateway)));
    api.post(`${PATH}/reload`, async (request, reply) => {
      const operator = operatorOf(request);
      gateway.recordAdmin('reload_asked', {}, operator, 'http');
      const state = await gateway.reload(`operator '${operator}'`);
      return reply.code(state.outcome === 'refused' ? 422 : 200).send(state);
    });
    api.post<OneServer>(`${PATH}/upstreams/:name/restart`, (request, reply) => {
      const { name } = request.params;
      if (!gateway.restartUpstream(name)) return refuse(reply, unknownUpstream(name));
      gateway.recordAdmin('restart_upstream', { upstream: name }, operatorOf(request), 'http');
      return reply.send({ upstream: name, state: 'starting' });
    });
    offerChanges(api, gateway);
    done();
  });
}

function describeStatus(gateway: Gateway) {
  const { ready, upstreams, operations, state, reload } = gateway.status();
  return { ready, upstreams, operations, state, ...(reload === undefined ? {} : { reload }) };
}

function offerChanges(api: FastifyInstance, gateway: Gateway): void {
  for (const [verb, disabled] of Object.entries({ enable: false, disable: true })) {
    api.post<OneServer>(`${PATH}/upstreams/:name/${verb}`, (request, reply) => {
      const { name } = request.params;
      return change(gateway, request, reply, `${verb}_upstream`, (config, options) =>
        setServerDisabled(config, { name, disabled }, options),
      );
    });
  }
  api.delete<OneServer>(`${PATH}/upstreams/:name`, (request, reply) =>
    change(gateway, request, reply, 'remove_upstream', (config, options) =>
      removeServer(config, request.params.name, options),
    ),
  );
  api.put<OneServer>(`${PATH}/upstreams/:name`, async (request, reply) => {
    const body = await readJsonBody(request.raw, reply.raw);
    if (body.kind === 'problem') return refuse(reply, body.problem);
    const fault = findEntryFault(body.value, gateway.config.server.allowRemoteCommands);
    if (fault !== undefined) return refuse(reply, fault);
    const { name } = request.params;
    return change(gateway, request, reply, 'add_upstream', (config, options) =>
      addServer(config, { name, entry: body.value }, options),
    );
  });
}

/** Changes the file, and answers when the gateway has taken the change. */
async function change(
  gateway: Gateway,
  request: FastifyRequest<OneServer>,
  reply: FastifyReply,
  action: string,
  make: Parameters<typeof changeConfiguration>[3],
): Promise<FastifyReply> {
  const changed = await changeConfiguration(gateway, operatorOf(request), action, make);
  if (changed.kind === 'refused') return refuse(reply, changed.problem);
  return reply.send({ upstream: changed.upstream, reload: changed.reload });
}

function operatorOf(request: { getDecorator<T>(name: string): T }): string {
  return request.getDecorator<string>(OPERATOR);
}

function unknownUpstream(name: string): ApprovalsProblem {
  return { status: 404, code: 'UPSTREAM_UNKNOWN', message: `No server that is enabled is called '${name}'.` };
}

/** What an operator may say of a server over the network. The others name programs, files or variables of this machine. */
const HARMLESS: readonly string[] = ['type', 'url', 'headers', 'description', 'disabled', 'timeoutMs'];

/**
 * Why an entry is not taken over the network: a token that is stolen must not be enough to run programs here, or to send this
 * machine's variables and files to a server. @param allowsAll what the configuration says (server.allowRemoteCommands)
 */
export function findEntryFault(entry: JsonObject, allowsAll: boolean): ApprovalsProblem | undefined {
  if (allowsAll) return undefined;
  const keys = Object.keys(entry).filter((key) => !HARMLESS.includes(key));
  if (keys.length > 0) return refused(keys.map((key) => `'${key.slice(0, 100)}'`).join(', '));
  const { headers } = entry;
  const files = isJsonObject(headers) ? Object.keys(headers).filter((name) => name.endsWith('_FILE')) : [];
  if (files.length > 0) return refused('headers that are read from files');
  return JSON.stringify(entry).includes('${') ? refused('references to variables') : undefined;
}

function refused(what: string): ApprovalsProblem {
  return {
    status: 403,
    code: 'REMOTE_COMMANDS_NOT_ALLOWED',
    message: `Over the network a server cannot be added with ${what}. Add it on the machine (mcp-aql-gateway add), or set server.allowRemoteCommands.`,
  };
}
