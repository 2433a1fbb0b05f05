import { randomUUID } from 'node:crypto';
import { mayChangeNumbers } from '../../base/json/exact-result.js';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { type Html, html } from '../../base/lib/html.js';
import type { Caller } from '../../base/protocol/call.js';
import { Cancellation } from '../../base/protocol/cancellation.js';
import type { Operation } from '../../base/protocol/operation.js';
import { REQUEST_ID, type Reply } from '../../base/protocol/result.js';
import type { Gateway, PlacedOperation } from '../../gateway/gateway.js';
import {
  alert,
  body,
  categoryChip,
  dangerChip,
  empty,
  foreign,
  operationName,
  pageHead,
  panel,
  stack,
  state,
} from '../layout/components.js';
import type { Frame } from '../layout/frame.js';
import { type Action, definePage, type OpenPart } from '../layout/page.js';
import { readMore, readParameters, readTyped, type Typed, writeFields } from './try-form.js';

const SECTION = 'try';

/** Attempts that are kept, of all operators: they may have megabytes each. */
const MOST_KEPT = 20;

/** Characters of an answer that a page shows. */
const LONGEST_ANSWER = 200_000;

/** A call that an operator made, or could not make. */
interface Attempt {
  readonly id: string;
  readonly operator: string;
  readonly operation: string;
  readonly typed: Typed;
  readonly outcome: Called | { readonly kind: 'unread'; readonly problem: string };
}

interface Called {
  readonly kind: 'called';
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly reply: Reply;
  readonly tookMs: number;
  /** What decides about such a call, in words. */
  readonly policy: string;
}

/** Calls by operators, which go the way of every other: policy, confirmation, limits and audit apply, under the operator's name. */
export const openTry: OpenPart = (gateway) => {
  const attempts = new Map<string, Promise<Attempt>>();
  const keep = (id: string, attempt: Promise<Attempt>): void => {
    attempts.set(id, attempt);
    for (const oldest of [...attempts.keys()].slice(0, -MOST_KEPT)) attempts.delete(oldest);
  };
  const form = definePage({
    path: SECTION,
    title: 'Try an operation',
    section: SECTION,
    place: { icon: 'try', group: 1 },
    read: async ({ query }): Promise<TryModel> => {
      const name = query.get('operation') ?? '';
      const named = name === '' ? undefined : await gateway.findOperation(name);
      const names = named?.kind === 'found' ? [] : gateway.operations().map(({ operation }) => operation.name);
      return { name, named, names: names.slice(0, MOST_NAMES), typed: {} };
    },
    render: writeTry,
  });
  const answer = definePage({
    path: `${SECTION}/answers/:id`,
    title: 'Answer',
    section: SECTION,
    read: async ({ params, operator }): Promise<TryModel | undefined> => {
      const attempt = await attempts.get(params['id'] ?? '');
      // What a call answered is for who made it.
      if (attempt?.operator !== operator) return undefined;
      const named = await gateway.findOperation(attempt.operation);
      return { name: attempt.operation, named, names: [], typed: attempt.typed, attempt };
    },
    render: writeTry,
  });
  const call: Action = {
    section: SECTION,
    path: `${SECTION}/call`,
    async run(fields, { operator }) {
      const id = fields.get('id') ?? '';
      const to = `${SECTION}/answers/${encodeURIComponent(id)}`;
      // The second click of a double click finds what the first one has done.
      if (!attempts.has(id)) keep(id, attemptCall(gateway, id, operator, fields));
      await attempts.get(id);
      return { to };
    },
  };
  return { pages: [form, answer], actions: [call] };
};

async function attemptCall(gateway: Gateway, id: string, operator: string, form: URLSearchParams): Promise<Attempt> {
  const name = form.get('operation') ?? '';
  const typed = readTyped(form);
  const about = { id, operator, operation: name, typed };
  const unread = (problem: string): Attempt => ({ ...about, outcome: { kind: 'unread', problem } });
  const named = await gateway.findOperation(name);
  if (named.kind === 'none') return unread(named.explanation);
  const { placed } = named;
  const [read, more] = [readParameters(placed.operation, typed), readMore(typed)];
  if (typeof read === 'string') return unread(read);
  if (typeof more === 'string') return unread(more);
  const params = { ...paramsOf(read, placed.operation), ...more };
  const token = form.get('confirmation');
  const confirmed = token === null ? params : { ...params, _confirmation: token };
  const caller = callerFor(operator);
  const { decision } = gateway.explainPolicy({ operation: placed.operation, params, ...caller });
  const sent = { tool: placed.tool, arguments: argumentsFor(gateway, placed, confirmed) };
  const started = performance.now();
  const reply = await gateway.handle({ ...sent, caller, cancellation: new Cancellation() });
  const tookMs = performance.now() - started;
  const by = decision.rule === null ? `by ${decision.by}` : `by the rule '${decision.rule}'`;
  const policy = `${decision.effect}, ${by}${decision.reason === null ? '' : `: ${decision.reason}`}`;
  return { ...about, outcome: { kind: 'called', ...sent, reply, tookMs, policy } };
}

/**
 * Who an operator is to rules and records. Names of clients and issuers have no slash, so that no other caller is called so; rules may speak
 * of all operators as `operator/*`.
 */
function callerFor(operator: string): Caller {
  return { sessionId: `console ${operator}`, clientName: 'console', user: `operator/${operator}`, transport: 'http' };
}

/** As callers send them: what an UPDATE sets lies in `input`. */
function paramsOf(read: Exclude<ReturnType<typeof readParameters>, string>, { scope }: Operation): JsonObject {
  const of = (place: 'params' | 'input'): JsonObject =>
    Object.fromEntries(
      read.filter(([parameter]) => parameter.place === place).map(([{ name }, value]) => [name, value]),
    );
  return scope.hasInput ? { ...of('params'), input: of('input') } : of('params');
}

/** A tool that is shown under its own name takes its own parameters. */
function argumentsFor(gateway: Gateway, { operation }: PlacedOperation, params: JsonObject): JsonObject {
  if (gateway.shown().mode !== 'passthrough' || operation.upstream === 'gateway')
    return { operation: operation.name, params };
  const { input, ...others } = params;
  const all = isJsonObject(input) && operation.scope.hasInput ? { ...others, ...input } : params;
  const named = Object.entries(all).map(([name, value]) => [
    operation.scope.byName.get(name)?.upstreamName ?? name,
    value,
  ]);
  return { ...Object.fromEntries(named), ...operation.fixedArguments };
}

interface TryModel {
  readonly name: string;
  readonly named: Awaited<ReturnType<Gateway['findOperation']>> | undefined;
  /** For a person who has not chosen yet. */
  readonly names: readonly string[];
  readonly typed: Typed;
  readonly attempt?: Attempt;
}

const MOST_NAMES = 500;

function writeTry(model: TryModel, frame: Frame): Html {
  const { named, attempt } = model;
  const about = 'The call goes the way of every other: policy, limits and audit apply, under your name.';
  const head = pageHead({ title: 'Try an operation', about });
  if (named?.kind !== 'found') return html`${head}${writeChoice(model, frame)}`;
  const { placed } = named;
  return html`${head}
<div class="columns columns-1-1">${writeForm(placed, model.typed, frame)}
${attempt === undefined ? panel('Answer', empty('Nothing was called yet', 'The answer appears here.')) : writeAttempt(attempt, placed, frame)}</div>`;
}

function writeChoice({ name, named, names }: TryModel, frame: Frame): Html {
  const options = names.map((each) => html`<option value="${each}">`);
  return html`${stack(
    named?.kind === 'none' ? alert('bad', foreign(named.explanation)) : undefined,
    html`<section class="panel"><form class="panel-body" method="get" action="${frame.to(SECTION)}"><div class="field"><label for="operation">Operation</label>
<input id="operation" type="search" name="operation" list="operations" value="${name}" required><datalist id="operations">${options}</datalist>
<p class="hint">Its name; the ${frame.link('catalogue', 'catalogue')} finds it by what it does.</p></div>
<div class="field"><button class="button-primary">Open</button></div></form></section>`,
  )}`;
}

/** Which calls can be undone by nothing. */
function isGrave({ classification: { danger } }: Operation): boolean {
  return danger.level !== 'safe' && danger.level !== 'reversible';
}

function writeForm({ operation, family }: PlacedOperation, typed: Typed, frame: Frame): Html {
  const { qualifiedName, classification } = operation;
  const button = isGrave(operation) ? 'button-danger' : 'button-primary';
  const fields = html`<p class="soft about">${foreign(operation.description)}</p>
${writeFields(operation, typed)}
<div class="field actions"><button class="${button}">Call it</button>${frame.link(`${SECTION}?${new URLSearchParams({ operation: qualifiedName })}`, 'Clear', 'button button-quiet')}</div>`;
  const hidden = { id: randomUUID(), operation: qualifiedName };
  return panel(
    frame.link(`catalogue/${encodeURIComponent(qualifiedName)}`, operationName(qualifiedName), 'plain'),
    frame.form(`${SECTION}/call`, fields, { fields: hidden, class: 'panel-body' }),
    html`${categoryChip(family)} ${dangerChip(classification.danger.level)}`,
  );
}

function writeAttempt({ outcome, operation, typed }: Attempt, placed: PlacedOperation, frame: Frame): Html {
  if (outcome.kind === 'unread')
    return alert('bad', html`<h2>Nothing was called</h2><p>${foreign(outcome.problem)}</p>`);
  const { reply, tookMs, policy, tool } = outcome;
  const request = String(reply.meta?.[REQUEST_ID]);
  const answer = panel(
    'Answer',
    [
      writeAnswer(reply),
      html`<p class="panel-foot"><span>Request ${frame.link(`audit?${new URLSearchParams({ text: request })}`, html`<span class="mono">${request}</span>`)}</span></p>`,
    ],
    html`${writeOutcome(reply)} in ${Math.round(tookMs)} ms`,
  );
  const steps = html`<ol class="steps"><li><span class="faint">policy</span><span>${foreign(policy)}</span></li>
<li class="${reply.code === 'OK' && !reply.isError ? 'good' : 'bad'}"><span class="faint">${Math.round(tookMs)} ms</span><span>${reply.code === 'OK' ? html`${foreign(placed.operation.upstream)} answered` : html`ended with <span class="mono">${reply.code}</span>`}</span></li></ol>`;
  const model = `${tool}\n${JSON.stringify(withoutToken(outcome.arguments), null, 2)}`;
  return stack(
    writeNext(reply, { operation, typed }, placed, frame),
    answer,
    panel('What the gateway did', body(steps)),
    panel('The same from a model', body(html`<pre class="code copy" tabindex="0"><bdi dir="ltr">${model}</bdi></pre>`)),
  );
}

/** A token is for this call alone. */
function withoutToken({ params, _confirmation: _token, ...others }: JsonObject): JsonObject {
  if (!isJsonObject(params)) return others;
  const { _confirmation: _own, ...rest } = params;
  return { ...others, params: rest };
}

function writeOutcome({ code, isError }: Reply): Html {
  if (code === 'CONFIRMATION_REQUIRED') return state('warn', 'asked');
  return code === 'OK' && !isError
    ? state('good', 'answered')
    : state('bad', code === 'OK' ? 'failed' : 'refused or failed');
}

/** What the answer asks of the operator: to confirm, or to have somebody approve. */
function writeNext(
  reply: Reply,
  { operation, typed }: Pick<Attempt, 'operation' | 'typed'>,
  placed: PlacedOperation,
  frame: Frame,
): Html | undefined {
  if (reply.code !== 'CONFIRMATION_REQUIRED') return undefined;
  const { message, details } = errorOf(reply);
  const token = details['confirmation_token'];
  if (typeof token !== 'string') return undefined;
  const approval = isJsonObject(details['approval']) ? details['approval']['id'] : undefined;
  const wait =
    typeof approval === 'string'
      ? html`<p>A person has to ${frame.link(`approvals/${encodeURIComponent(approval)}`, 'approve it')} first.</p>`
      : undefined;
  const fields = html`<label class="check"><input class="sure" type="checkbox" required> I have read what this ${placed.operation.classification.danger.level} call does</label>
<div class="actions"><button class="button-danger">Confirm, and call it</button></div>`;
  const hidden = { ...typed, id: randomUUID(), operation, confirmation: token };
  const form = frame.form(`${SECTION}/call`, fields, { fields: hidden, class: 'decide end-actions' });
  return alert('warn', html`<h2>It wants an agreement</h2><p>${foreign(message)}</p>${wait}${form}`);
}

function errorOf({ text }: Reply): { readonly message: string; readonly details: JsonObject } {
  const envelope: unknown = JSON.parse(text);
  const error = isJsonObject(envelope) && isJsonObject(envelope['error']) ? envelope['error'] : {};
  const { message, details } = error;
  return { message: typeof message === 'string' ? message : '', details: isJsonObject(details) ? details : {} };
}

function writeAnswer({ text, blocks, passthrough }: Reply): Html {
  const sent = passthrough === undefined ? text : `{${Buffer.concat(passthrough).toString('utf8')}}`;
  const isCut = sent.length > LONGEST_ANSWER;
  const shown =
    isCut || mayChangeNumbers(sent) ? sent.slice(0, LONGEST_ANSWER) : JSON.stringify(JSON.parse(sent), null, 2);
  const kinds = blocks.map(({ type }) => type).join(', ');
  return html`<div class="panel-body"><pre class="code answer" tabindex="0"><bdi dir="ltr">${shown}</bdi></pre></div>
${isCut ? html`<p class="panel-foot">The first ${LONGEST_ANSWER} characters of ${sent.length}.</p>` : undefined}
${kinds === '' ? undefined : html`<p class="panel-foot">With ${blocks.length} blocks that are not shown: ${foreign(kinds)}.</p>`}`;
}
