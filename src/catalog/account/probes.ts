import { readAsset } from '../../base/asset.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import type { AccountAnswer, AccountFact } from '../../base/protocol/account-fact.js';
import type { SqlDialect } from '../../base/protocol/operation.js';
import type { RawTool } from '../../base/protocol/tools.js';
import { namedDialects } from '../../classify/find-statement.js';
import { recognizeServer } from '../../classify/known.js';
import { proveRead } from '../../classify/prove-read.js';
import type { UpstreamConfig } from '../../config/gateway-config.js';

/**
 * One entry of `probes.json`: which servers are asked what, and what an answer proves. `{n}` in a statement is a number of the moment,
 * and the answer holds twice that and what `counts` names: an answer that repeats the statement, or is an old one, proves nothing.
 */
export interface Probe {
  readonly name: string;
  /** The product of the servers: their texts name it and no other. */
  readonly product?: SqlDialect;
  /** Known servers, as an alternative. */
  readonly servers?: readonly string[];
  /** Its tools through which nothing acts but the account: with the parameter of the statement; null where any text is only looked up. */
  readonly tools: Readonly<Record<string, string | null>>;
  readonly ask: { readonly sql: readonly string[] } | HeaderAsk;
  /** What is counted; none proves that the account cannot write. */
  readonly counts?: string;
  /** What may be listed of an account that cannot write. */
  readonly only?: readonly string[];
  readonly proves: AccountFact['proves'];
}

/** A header of the API behind the server, which it does not pass on: asked with the server's own token. */
interface HeaderAsk {
  readonly url: string;
  /** The variable of the server that names another host, and the path there. */
  readonly host: string;
  readonly path: string;
  /** The variable of the server that holds the token. */
  readonly token: string;
  readonly header: string;
}

/** A question to one server. */
export interface Question {
  readonly probe: Probe;
  /** What is asked, in words. */
  readonly asked: string;
  readonly by:
    | { readonly tool: string; readonly arguments: JsonObject }
    | { readonly url: URL; readonly token: string; readonly header: string };
  /** What the answer says. */
  read(answer: string): AccountAnswer;
}

let read: readonly Probe[] | undefined;
const probes = (): readonly Probe[] => (read ??= JSON.parse(readAsset('catalog/account/probes.json')));

/** What a server can be asked about its account. @param said what it calls itself */
export function questionsFor(
  { slug, endpoint }: Pick<UpstreamConfig, 'slug' | 'endpoint'>,
  tools: readonly RawTool[],
  said: string,
): readonly Question[] {
  const known = recognizeServer(tools);
  return probes().flatMap((probe): readonly Question[] => {
    const { ask, product, servers = [] } = probe;
    if ('sql' in ask) return product === undefined ? [] : askBySql(probe, product, ask.sql, tools, `${slug} ${said}`);
    const isMeant = known !== undefined && servers.includes(known) && endpoint.type === 'stdio';
    return isMeant ? askForHeader(probe, ask, endpoint.env) : [];
  });
}

const LEAST = 100_000_000;

/** By a tool that takes nothing else, with a statement that is proven to only read, as any caller's would have to be. */
function askBySql(
  probe: Probe,
  product: SqlDialect,
  lines: readonly string[],
  tools: readonly RawTool[],
  said: string,
): readonly Question[] {
  const tool = tools.find((each) => takesOnly(each, probe.tools[String(each['name'])]));
  const parameter = probe.tools[String(tool?.['name'])];
  if (tool === undefined || typeof parameter !== 'string') return [];
  const named = namedDialects(
    `${said} ${String(tool['name'])} ${String(tool['description'])}`.replaceAll(/[_-]/g, ' ').toLowerCase(),
  );
  if (named?.length !== 1 || named[0] !== product) return [];
  const n = LEAST + Math.floor(Math.random() * LEAST);
  const statement = lines.join(' ').replaceAll('{n}', String(n));
  if (!proveRead({ language: 'sql', dialects: [product], parameter, companions: [] }, statement).read) return [];
  const by = { tool: String(tool['name']), arguments: { [parameter]: statement } };
  return [{ probe, asked: `${probe.name}, by '${by.tool}'`, by, read: (answer) => readCount(answer, n, probe.counts) }];
}

function takesOnly({ inputSchema: schema }: RawTool, parameter: string | null | undefined): boolean {
  if (typeof parameter !== 'string' || !isJsonObject(schema) || !isJsonObject(schema['properties'])) return false;
  const own = schema['properties'][parameter];
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return isJsonObject(own) && own['type'] === 'string' && required.every((name) => name === parameter);
}

/** More of what is counted is no count. */
const MOST = 10_000_000;

function readCount(answer: string, n: number, counts = ''): AccountAnswer {
  const numbers = [...answer.matchAll(/(?<![\d.])\d{9}(?![\d.]*\d)/g)].map(([found]) => Number(found) - 2 * n);
  const [count, ...others] = new Set(numbers.filter((each) => each >= 0 && each <= MOST));
  if (count === undefined || others.length > 0) return { state: 'unknown', answer: 'no answer to the question' };
  return { state: count === 0 ? 'cannot_write' : 'can_write', answer: `${count} ${counts}` };
}

function askForHeader(
  probe: Probe,
  { url, host, path, token, header }: HeaderAsk,
  env: Readonly<Record<string, string>>,
): readonly Question[] {
  const [secret, other] = [env[token], env[host]];
  const address = URL.canParse(path, other) ? new URL(path, other) : new URL(url);
  if (secret === undefined || secret === '') return [];
  const asked = `${probe.name}, by the header '${header}'`;
  return [
    { probe, asked, by: { url: address, token: secret, header }, read: (answer) => readList(answer, probe.only) },
  ];
}

function readList(answer: string, only: readonly string[] = []): AccountAnswer {
  const given = answer
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const more = given.filter((each) => !only.includes(each));
  return more.length > 0
    ? { state: 'can_write', answer: `among others ${more.slice(0, 5).join(', ').slice(0, 200)}` }
    : { state: 'cannot_write', answer: given.length === 0 ? 'no scope at all' : given.join(', ') };
}
