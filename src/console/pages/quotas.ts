import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { type Html, html } from '../../base/lib/html.js';
import type { Caller } from '../../base/protocol/call.js';
import { principalOf } from '../../base/protocol/caller.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { SessionBook } from '../../server/http/session-book.js';
import { cutNote, foreign, moment, table } from '../layout/components.js';
import { definePage, type OpenPart } from '../layout/page.js';

const SECTION = 'quotas';

/** Callers whose budgets are read: each costs questions to the store. */
const MOST_CALLERS = 25;

/** What of the budgets is used up: of servers, and of the callers who are here. */
export const openQuotas: OpenPart = (gateway, { sessions }) => ({
  pages: [
    definePage({
      path: SECTION,
      title: 'Quotas',
      section: SECTION,
      read: () => readQuotas(gateway, sessions),
      render: writeQuotas,
    }),
  ],
  actions: [],
});

/** A budget, and how far it is used up. */
interface BudgetLine {
  readonly budget: string;
  /** Who shares it. */
  readonly whose: string;
  readonly used: string;
  readonly status: string;
  readonly resetsAt: string | undefined;
}

interface QuotasModel {
  readonly lines: readonly BudgetLine[];
  readonly callers: number;
  /** Why they could not be read. */
  readonly problem?: string;
}

async function readQuotas(gateway: Gateway, sessions: SessionBook): Promise<QuotasModel> {
  const callers = distinctCallers(sessions.list().map(({ caller }) => caller));
  try {
    const statuses = await Promise.all(
      callers.slice(0, MOST_CALLERS).map(async (caller) => [whoIs(caller), await gateway.quotaStatus(caller)] as const),
    );
    return { lines: listBudgets(statuses), callers: callers.length };
  } catch {
    return { lines: [], callers: callers.length, problem: 'The store that holds the counts cannot be reached.' };
  }
}

/** Nobody, whose answer has what all callers share; then one caller for each that has budgets of its own. */
function distinctCallers(all: readonly Caller[]): readonly Caller[] {
  const nobody: Caller = { sessionId: 'console', clientName: 'console', transport: 'http' };
  const known = new Map(all.map((caller) => [whoIs(caller), caller]));
  return [nobody, ...known.values()];
}

function whoIs(caller: Caller): string {
  const who = principalOf(caller);
  return who === undefined ? `${caller.clientName} (${caller.sessionId})` : `${who.kind} ${who.name}`;
}

/** The budgets of all callers, each once. */
export function listBudgets(
  statuses: readonly (readonly [caller: string, status: JsonObject])[],
): readonly BudgetLine[] {
  const lines = statuses.flatMap(([caller, { api_limits: limits, quotas }]) => [
    ...Object.entries(isJsonObject(limits) ? limits : {}).flatMap(([name, limit]) =>
      isJsonObject(limit) ? [readLimit(name, limit)] : [],
    ),
    ...(Array.isArray(quotas) ? quotas : []).filter(isJsonObject).map((quota) => readQuota(quota, caller)),
  ]);
  return [...new Map(lines.map((line) => [`${line.budget}\n${line.whose}`, line])).values()];
}

function readLimit(name: string, { limit, remaining, window, resets_at: resetsAt }: JsonObject): BudgetLine {
  const used =
    typeof limit === 'number'
      ? `${limit - Number(remaining)} of ${limit} per ${String(window)}`
      : 'the server asks to wait';
  return {
    budget: name,
    whose: 'all callers',
    used,
    status: remaining === 0 ? 'exhausted' : 'ok',
    resetsAt: timeOf(resetsAt),
  };
}

/** Shares of sessions and clients are their own; others are of everyone. */
const OF_ALL = 'all';

function readQuota(quota: JsonObject, caller: string): BudgetLine {
  const { name, per, metric, current, warn, pause, hard_stop: stop, status, currency, resets_at: resetsAt } = quota;
  const unit = typeof currency === 'string' ? currency : String(metric);
  const bounds = Object.entries({ warns: warn, pauses: pause, stops: stop }).flatMap(([verb, at]) =>
    at === undefined ? [] : [`${verb} at ${String(at)}`],
  );
  return {
    budget: String(name),
    whose: per === OF_ALL ? 'all callers' : caller,
    used: `${String(current)} ${unit} (${bounds.join(', ')})`,
    status: String(status),
    resetsAt: timeOf(resetsAt),
  };
}

function timeOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function writeQuotas({ lines, callers, problem }: QuotasModel): Html {
  const rows = lines.map(({ budget, whose, used, status, resetsAt }) => [
    foreign(budget),
    foreign(whose),
    foreign(used),
    html`<span class="${status === 'ok' ? 'good' : 'bad'}">${status}</span>`,
    moment(resetsAt),
  ]);
  return html`<h1>Quotas</h1>
${problem === undefined ? undefined : html`<p class="bad">${problem}</p>`}
${table({ caption: 'Budgets', columns: ['Budget', 'Whose', 'Used', 'State', 'Begins anew'], rows, none: 'No quota and no limit of a server is configured.' })}
${cutNote(MOST_CALLERS, callers)}
<p>Budgets of callers are those of the clients that are connected to this process.</p>`;
}
