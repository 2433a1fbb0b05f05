import { isJsonObject } from '../../base/json/json.js';
import type { GatewayStatus } from '../../gateway/gateway.js';
import { CliError, EXIT_CODE } from './exit-code.js';

/** What the admin API says of a gateway. */
type AskedStatus = Pick<GatewayStatus, 'ready' | 'upstreams' | 'operations' | 'state' | 'reload'>;

/** The options of commands that ask a gateway over its admin API. */
export interface AdminFlags {
  readonly url?: string;
  readonly token?: string;
}

export const URL_OPTION = ['--url <url>', 'ask a gateway over its admin API, such as http://127.0.0.1:3333'] as const;
export const TOKEN_OPTION = ['--token <token>', "an operator's token; MCP_AQL_OPERATOR_TOKEN unless given"] as const;

/** A gateway's admin API with an operator's token. */
export class AdminApi {
  /** Of the gateway. */
  readonly origin: string;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, given: string | undefined) {
    this.#url = url;
    this.origin = new URL(url).origin;
    const token = given ?? process.env['MCP_AQL_OPERATOR_TOKEN'];
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  async status(): Promise<AskedStatus> {
    const body = await this.#ask('GET', '/admin/status');
    if (!isStatus(body)) throw new CliError(EXIT_CODE.refused, `${this.origin} did not answer as a gateway does`);
    return body;
  }

  /** Starts a server anew. Rejects with the gateway's words where there is none of this name. */
  async restart(name: string): Promise<void> {
    await this.#ask('POST', `/admin/upstreams/${encodeURIComponent(name)}/restart`);
  }

  async #ask(method: string, path: string): Promise<unknown> {
    const address = new URL(path, this.#url);
    const response = await fetch(address, { method, headers: this.#headers }).catch((cause: unknown) => {
      throw new CliError(EXIT_CODE.unreachable, `${address.origin} cannot be reached`, { cause });
    });
    const body: unknown = await response.json().catch(() => undefined);
    if (response.ok) return body;
    throw new CliError(EXIT_CODE.refused, `${address.href}: ${explain(response.status, body)}`);
  }
}

function explain(status: number, body: unknown): string {
  const error = isJsonObject(body) ? body['error'] : undefined;
  const words = isJsonObject(error) ? error['message'] : error;
  const isApi = isJsonObject(error) && typeof error['code'] === 'string';
  const hint = status === 404 && !isApi ? '; the admin API needs policy.approvals.operators' : '';
  return `HTTP ${status}${typeof words === 'string' ? `: ${words}` : ''}${hint}`;
}

function isStatus(body: unknown): body is AskedStatus {
  return isJsonObject(body) && typeof body['ready'] === 'boolean' && Array.isArray(body['upstreams']);
}
