import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { type Html, html } from '../../base/lib/html.js';
import type { Caller } from '../../base/protocol/call.js';
import { principalOf } from '../../base/protocol/caller.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { SessionRegistry } from '../../server/http/session-registry.js';
import { alert, count, cutNote, foreign, pageHead, stack, state, table } from '../layout/components.js';
import { bar } from '../layout/drawings.js';
import { definePage, type OpenPart } from '../layout/page.js';
import { moment } from '../layout/times.js';

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
      place: { icon: 'quotas', group: 2 },
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
  /** Of what is allowed, from 0 to 1; absent where there is no number. */
  readonly share?: number | undefined;
  readonly status: string;
  readonly resetsAt: string | undefined;
}

interface QuotasModel {
  readonly lines: readonly BudgetLine[];
  readonly callers: number;
  /** Why they could not be read. */
  readonly problem?: string;
}

async function readQuotas(gateway: Gateway, sessions: SessionRegistry): Promise<QuotasModel> {
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
    share: typeof limit === 'number' && limit > 0 ? 1 - Number(remaining) / limit : undefined,
    status: remaining === 0 ? 'exhausted' : 'ok',
    resetsAt: timeOf(resetsAt),
  };
}

/** Shares of sessions and clients are their own; others are of everyone. */
const OF_ALL = 'all';

function readQuota(quota: JsonObject, caller: string): BudgetLine {
  const { name, per, metric, current, warn, pause, hard_stop: stop, status, currency, resets_at: resetsAt } = quota;
  const most = stop ?? pause;
  const [unit = '', time = ''] = String(metric).split(/_(?=per_)/);
  const bounds = Object.entries({ warns: warn, pauses: pause }).flatMap(([verb, at]) =>
    at === undefined || at === most ? [] : [`, ${verb} at ${String(at)}`],
  );
  const what = typeof currency === 'string' ? currency : unit;
  return {
    budget: String(name),
    whose: per === OF_ALL ? 'all callers' : caller,
    used: `${String(current)}${most === undefined ? '' : ` of ${String(most)}`} ${what} ${time.replaceAll('_', ' ')}${bounds.join('')}`,
    share: shareOf(current, most ?? warn),
    status: String(status),
    resetsAt: timeOf(resetsAt),
  };
}

function shareOf(current: unknown, most: unknown): number | undefined {
  return typeof current === 'number' && typeof most === 'number' && most > 0 ? current / most : undefined;
}

function timeOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** From this share on a budget wants a look. */
const NEAR = 0.8;

function writeQuotas({ lines, callers, problem }: QuotasModel): Html {
  const isNear = ({ share = 0, status }: BudgetLine): boolean => share >= NEAR || status !== 'ok';
  const near = lines.filter(isNear);
  const rows = [...near, ...lines.filter((line) => !isNear(line))].map((line) => {
    const { budget, whose, used, share, status, resetsAt } = line;
    const tone = status === 'exhausted' || status === 'paused' ? 'bad' : isNear(line) ? 'warn' : 'good';
    return [
      html`<b>${foreign(budget)}</b><span class="under whole">${foreign(used)}</span>`,
      state(tone, status),
      share === undefined ? undefined : bar(share, tone),
      foreign(whose),
      moment(resetsAt),
    ];
  });
  const columns = ['Budget', 'State', ['Used', 'share wide'], 'Whose', ['Begins anew', 'nowrap']] as const;
  const title =
    lines.length === 0
      ? 'No budget is configured'
      : near.length === 0
        ? `All ${count(lines.length, 'budget')} have room`
        : `${near.length} of ${count(lines.length, 'budget')} ${near.length === 1 ? 'is' : 'are'} used up, or nearly`;
  const none = html`<b>No quota and no limit of a server is configured</b>Limits are set under <code>quotas</code>, and by servers under their <code>api_limits</code>.`;
  return html`${pageHead({ title, about: 'Budgets of callers are those of the clients that are connected to this process.' })}
${stack(
  problem === undefined ? undefined : alert('bad', problem),
  html`<section class="panel">${table({ caption: 'Budgets', columns, rows, none, style: 'wide-first pairs' })}${cutNote(MOST_CALLERS, callers)}</section>`,
)}`;
}
