import { isJsonObject, type JsonObject } from '../base/json/json.js';
import type { Observer } from '../base/observe/observation.js';
import type { AccountAnswer, AccountFact } from '../base/protocol/account-fact.js';
import { Cancellation } from '../base/protocol/cancellation.js';
import type { Operation, ReadOnlyAccount } from '../base/protocol/operation.js';
import type { RawTool } from '../base/protocol/tools.js';
import { type Question, questionsFor } from '../catalog/account/probes.js';
import { OPERATORS_WORD, reasonOf } from '../catalog/account/read-only-account.js';
import type { GatewayConfig, UpstreamConfig } from '../config/gateway-config.js';
import { isOwnMachine } from '../config/own-machine.js';
import type { AuditTrail } from '../policy/audit/audit-trail.js';
import { createOutboundFetch } from '../upstream/transport/outbound-fetch.js';
import type { UpstreamRequest } from '../upstream/upstream.js';
import type { UpstreamPool } from '../upstream/upstream-pool.js';
import type { WholeSnapshot } from './snapshot.js';

interface AccountsDeps {
  readonly settings: () => Pick<GatewayConfig, 'upstreams'>;
  readonly pool: Pick<UpstreamPool, 'upstreams' | 'statuses'>;
  readonly audit: Pick<AuditTrail, 'record'>;
  readonly observe: Observer;
  /** Whether policy refuses an operation whoever calls it. */
  readonly isRefused: (operation: Operation) => boolean;
  /** Has the catalog built anew. */
  readonly refresh: () => void;
}

type Account = { holds: boolean } & Omit<ReadOnlyAccount, 'holds'>;

/** What is known of one server by one list of its tools. */
interface Known {
  readonly tools: readonly RawTool[];
  readonly questions: readonly Question[];
  facts: readonly AccountFact[];
  account: Account | undefined;
}

const HOUR_MS = 3_600_000;

/**
 * Which servers have an account that cannot write: asked where their tools are listed, and hourly. It ends at once where a server lists its
 * tools or is configured anew, answers otherwise, or does not answer.
 */
export class ReadOnlyAccounts {
  readonly #deps: AccountsDeps;
  readonly #known = new Map<string, Known>();
  /** One for each reason: operations are made once for equal input, and keep theirs. */
  readonly #accounts = new Map<string, Account>();
  readonly #hourly: NodeJS.Timeout;

  constructor(deps: AccountsDeps) {
    this.#deps = deps;
    this.#hourly = setInterval(() => {
      for (const [slug, known] of this.#known) void this.#ask(slug, known);
    }, HOUR_MS).unref();
  }

  /** What the classification of a server's tools may rest on. */
  of(config: UpstreamConfig): ReadOnlyAccount | undefined {
    const known = this.#known.get(config.slug);
    return known === undefined ? this.#conclude(config, [], []) : known.account;
  }

  factsOf(slug: string): readonly AccountFact[] {
    return this.#known.get(slug)?.facts ?? [];
  }

  /** Nothing is known of a server any more. */
  forget(slug: string): void {
    const account = this.#known.get(slug)?.account;
    if (account !== undefined) account.holds = false;
    this.#known.delete(slug);
  }

  /** Asks those servers whose list of tools is new. */
  see({ toolSets, catalog }: WholeSnapshot): void {
    for (const { upstream: slug, tools } of toolSets) {
      const config = this.#deps.settings().upstreams.find((each) => each.slug === slug);
      const isConnected = this.#deps.pool.upstreams.get(slug)?.capabilities(undefined) !== undefined;
      if (config === undefined || !isConnected || this.#known.get(slug)?.tools === tools) continue;
      const { server } = this.#deps.pool.statuses().find((status) => status.slug === slug) ?? {};
      const mayCall = (tool: string): boolean =>
        catalog.operations.some((each) => each.upstream === slug && each.tool === tool && !this.#deps.isRefused(each));
      const all = isAsked(config) ? questionsFor(config, tools, server?.name ?? '') : [];
      const questions = all.filter(({ by }) => !('tool' in by) || mayCall(by.tool));
      const known: Known = { tools, questions, facts: [], account: this.#conclude(config, [], []) };
      this.#known.set(slug, known);
      if (questions.length > 0) void this.#ask(slug, known);
    }
  }

  close(): void {
    clearInterval(this.#hourly);
    this.#known.clear();
  }

  async #ask(slug: string, known: Known): Promise<void> {
    const facts = await Promise.all(known.questions.map((question) => this.#answerOf(slug, question)));
    const config = this.#deps.settings().upstreams.find((each) => each.slug === slug);
    if (this.#known.get(slug) !== known || config === undefined) return;
    const before = known.account;
    known.facts = facts;
    known.account = this.#conclude(config, facts, known.questions);
    if (before === known.account) return;
    if (before !== undefined) before.holds = false;
    const message =
      known.account === undefined
        ? `Server '${config.name}': nothing rests any more on an account that cannot write`
        : `Server '${config.name}': ${known.account.reason}`;
    this.#deps.observe({ kind: 'notice', level: known.account === undefined ? 'warn' : 'info', message });
    this.#deps.refresh();
  }

  /** An answer that the account can write is believed before the operator's word. */
  #conclude(
    { slug, name, readOnlyAccount }: UpstreamConfig,
    facts: readonly AccountFact[],
    questions: readonly Question[],
  ): Account | undefined {
    const sure = facts.filter(({ proves }) => proves === 'account');
    const proof = sure.find(({ state }) => state === 'cannot_write');
    const whose = readOnlyAccount === true ? OPERATORS_WORD : proof?.asked;
    if (whose === undefined || sure.some(({ state }) => state === 'can_write')) return undefined;
    const answered = questions.filter((_, index) => facts[index]?.state !== 'unknown').map(({ probe }) => probe);
    const product = answered.find((probe) => probe.product !== undefined)?.product;
    const tools = Object.assign({}, ...answered.map((probe) => probe.tools));
    const made: Account = { holds: true, reason: reasonOf(name, whose), product, tools };
    const key = JSON.stringify([slug, made]);
    const account = this.#accounts.get(key) ?? made;
    this.#accounts.set(key, account);
    account.holds = true;
    return account;
  }

  async #answerOf(upstream: string, question: Question): Promise<AccountFact> {
    const fact = await askAccount(question, async (request) =>
      this.#deps.pool.upstreams.get(upstream)?.request(request),
    );
    this.#deps.audit.record({ type: 'admin', action: 'account.asked', details: { upstream, ...fact }, actor: {} });
    return fact;
  }
}

type Send = (request: UpstreamRequest) => Promise<JsonObject | undefined>;

/** Asks one question, in a bounded time. Never rejects: no answer is a fact, too. */
export async function askAccount({ probe, asked, by, read }: Question, send: Send): Promise<AccountFact> {
  const answer = await ('url' in by ? readHeader(by) : callTool(by, send)).then(
    (text): AccountAnswer => (text === undefined ? { state: 'unknown', answer: 'it was refused' } : read(text)),
    (): AccountAnswer => ({ state: 'unknown', answer: 'there was no answer' }),
  );
  return { ...answer, asked, proves: probe.proves, at: new Date().toISOString() };
}

/** The text of the answer, up to a bound; undefined where it is a refusal. */
async function callTool(by: { tool: string; arguments: JsonObject }, send: Send): Promise<string | undefined> {
  const cancellation = new Cancellation();
  const timer = setTimeout(() => cancellation.cancel('it took too long'), LONGEST_MS).unref();
  const params = { name: by.tool, arguments: by.arguments };
  try {
    const result = await send({ method: 'tools/call', params, cancellation, timeoutMs: LONGEST_MS });
    return result === undefined || result['isError'] === true ? undefined : textOf(result);
  } finally {
    clearTimeout(timer);
  }
}

const LONGEST_MS = 10_000;
const LONGEST_ANSWER = 65_536;

/** Users have accounts of their own, and who is not believed otherwise is not believed here. */
export const isAsked = ({ credentials, readOnlyAccount, trust }: UpstreamConfig): boolean =>
  credentials === undefined && readOnlyAccount !== false && trust !== 'untested' && trust !== 'generated';

function textOf({ content, structuredContent }: JsonObject): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.filter(isJsonObject).map(({ text }) => (typeof text === 'string' ? text : ''));
  return [...texts, JSON.stringify(structuredContent ?? '')].join('\n').slice(0, LONGEST_ANSWER);
}

async function readHeader({
  url,
  token,
  header,
}: {
  url: URL;
  token: string;
  header: string;
}): Promise<string | undefined> {
  if (url.protocol !== 'https:' && !isOwnMachine(url.hostname)) return undefined;
  const fetch = createOutboundFetch({ type: 'http', url: url.href, headers: {}, proxy: 'environment' });
  const signal = AbortSignal.timeout(LONGEST_MS);
  const answer = await fetch(url, {
    signal,
    headers: { authorization: `Bearer ${token}`, 'user-agent': 'mcp-aql-gateway' },
  });
  await answer.body?.cancel();
  return answer.ok ? (answer.headers.get(header) ?? undefined) : undefined;
}
