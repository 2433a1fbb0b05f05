import { groupBy } from '../../base/lib/collections.js';
import { type Html, html } from '../../base/lib/html.js';
import { CATEGORIES, DANGER_LEVELS, GATEWAY_SOURCE, type Operation, type Risk } from '../../base/protocol/operation.js';
import type { RawTool } from '../../base/protocol/tools.js';
import { DOUBTFUL, understandingOf } from '../../base/protocol/understanding.js';
import type { Gateway, PlacedOperation } from '../../gateway/gateway.js';
import {
  type CurationPreview,
  type Judgement,
  previewCuration,
  saveCuration,
  type Treatment,
} from '../../gateway/review/curation-review.js';
import { describeChangeFault, NO_FILE } from '../admin/change-configuration.js';
import {
  alert,
  body,
  categoryChip,
  count,
  dangerChip,
  facts,
  foreign,
  operationName,
  pageHead,
  panel,
  stack,
  table,
} from '../layout/components.js';
import { boundedJson, fileDifference } from '../layout/differences.js';
import type { Frame } from '../layout/frame.js';
import { type Action, definePage, type OpenPart, type Outcome } from '../layout/page.js';
import { type Cut, cutPage, pager, Revisions } from '../layout/paging.js';

const SECTION = 'catalogue';
const SHOWN = 50;

/** Hits of a search that are looked at: further ones fit worse. */
const MOST_HITS = 200;

/** What callers can call, why the gateway judges it so, and what an operator says instead. */
export const openCatalogue: OpenPart = (gateway) => {
  const revisions = new Revisions();
  // A changed rule changes what is shown, and not the catalog.
  const pulse = (): readonly number[] => [gateway.revision(), gateway.config].map((each) => revisions.numberOf(each));
  const list = definePage({
    path: SECTION,
    title: 'Catalogue',
    section: SECTION,
    place: {
      icon: 'catalogue',
      group: 1,
      counter: () => ({ tone: 'plain', value: gateway.status().operations, what: 'operations' }),
    },
    pulse,
    read: async ({ query }): Promise<ListModel> => {
      const found = await findOperations(gateway, query.get('q') ?? '');
      const chosen = found.filter((placed) => isChosen(placed, query));
      const listed = query.get('understanding') === 'uncertain' ? chosen.toSorted(byConfidence) : chosen;
      return { query, found, servers: gateway.status().upstreams.length, cut: cutPage(listed, query, SHOWN) };
    },
    render: writeList,
  });
  const one = definePage({
    path: `${SECTION}/:name`,
    title: 'Operation',
    section: SECTION,
    pulse,
    read: async ({ params }) => {
      const placed = await findPlaced(gateway, params['name']);
      return placed && { placed, definition: findDefinition(gateway, placed.operation) };
    },
    render: writeOperation,
  });
  const preview = definePage({
    path: `${SECTION}/:name/preview`,
    title: 'Preview',
    section: SECTION,
    pulse,
    read: async ({ params, query }) => {
      const placed = await findPlaced(gateway, params['name']);
      if (placed === undefined) return undefined;
      const judgement = readJudgement(query);
      return {
        operation: placed.operation,
        judgement,
        preview: await tryPreview(gateway, placed.operation, judgement),
      };
    },
    render: writePreview,
  });
  return { pages: [list, one, preview], actions: [judge(gateway)] };
};

/** What fits a text, best first; without one all, the most dangerous first. */
async function findOperations(gateway: Gateway, text: string): Promise<readonly PlacedOperation[]> {
  const all = gateway.operations();
  const dangerOf = ({ operation }: PlacedOperation): number =>
    DANGER_LEVELS.indexOf(operation.classification.danger.level);
  if (text.trim() === '') return all.toSorted((one, other) => dangerOf(other) - dangerOf(one));
  const { hits } = await gateway.search(text.slice(0, 500), MOST_HITS);
  const places = new Map(all.map((placed) => [placed.operation, placed]));
  return hits.flatMap(({ operation }) => places.get(operation) ?? []);
}

/** What a list can be narrowed to, and what an operation is in that regard. */
const FACETS = {
  family: ({ family }: PlacedOperation): string => family,
  danger: ({ operation }: PlacedOperation): string => operation.classification.danger.level,
  understanding: ({ operation }: PlacedOperation): string => understandingOf(operation.classification),
} as const;

/** The least certain first, for who reviews them. */
const byConfidence = (one: PlacedOperation, other: PlacedOperation): number =>
  one.operation.classification.confidence - other.operation.classification.confidence;

function isChosen(placed: PlacedOperation, query: URLSearchParams): boolean {
  return Object.entries(FACETS).every(([name, of]) => ['', of(placed)].includes(query.get(name) ?? ''));
}

async function findPlaced(gateway: Gateway, name = ''): Promise<PlacedOperation | undefined> {
  const named = await gateway.findOperation(name);
  return named.kind === 'found' ? named.placed : undefined;
}

function findDefinition(gateway: Gateway, { upstream, tool }: Operation): RawTool | undefined {
  const set = gateway.toolSets().find((each) => each.upstream === upstream);
  return set?.tools.find((each) => each?.['name'] === tool);
}

function readJudgement(form: URLSearchParams): Judgement {
  const category = CATEGORIES.find((each) => each === form.get('category'));
  const danger = DANGER_LEVELS.find((each) => each === form.get('danger'));
  return { ...(category && { category }), ...(danger && { danger }) };
}

/** The preview, or in words why there is none. */
async function tryPreview(
  gateway: Gateway,
  operation: Operation,
  judgement: Judgement,
): Promise<CurationPreview | string> {
  try {
    return (await previewCuration(gateway, operation, judgement)) ?? NO_FILE.message;
  } catch (error) {
    const problem = describeChangeFault(error);
    if (problem === undefined) throw error;
    return problem.message;
  }
}

function judge(gateway: Gateway): Action {
  return {
    section: SECTION,
    path: `${SECTION}/:name/judge`,
    async run(form, { params, operator }): Promise<Outcome> {
      const placed = await findPlaced(gateway, params['name']);
      if (placed === undefined)
        return { to: SECTION, notice: { text: 'There is no such operation any more.', failed: true } };
      const to = addressOf(placed.operation);
      const refuse = (text: string): Outcome => ({ to, notice: { text, failed: true } });
      const by = { digest: form.get('digest') ?? '', operator };
      try {
        const saved = await saveCuration(gateway, placed.operation, readJudgement(form), by);
        if (saved.kind === 'no-file') return refuse(NO_FILE.message);
        if (saved.kind === 'outdated')
          return refuse('Nothing was written: the file has changed since. Look at the change again.');
        const { problem } = saved.reload;
        if (problem !== undefined) return refuse(`Written, but not taken: ${problem}`);
        return { to, notice: { text: html`Written into ${foreign(saved.file)}, and taken.` } };
      } catch (error) {
        const problem = describeChangeFault(error);
        if (problem === undefined) throw error;
        return refuse(problem.message);
      }
    },
  };
}

function addressOf({ qualifiedName }: Operation): string {
  return `${SECTION}/${encodeURIComponent(qualifiedName)}`;
}

interface ListModel {
  readonly query: URLSearchParams;
  readonly found: readonly PlacedOperation[];
  readonly servers: number;
  readonly cut: Cut<PlacedOperation>;
}

function writeList({ query, found, servers, cut }: ListModel, frame: Frame): Html {
  const rows = cut.items.map(({ operation, family }) => {
    const { danger, confidence, risks } = operation.classification;
    const about = html`<span class="under"><span class="soft">${foreign(operation.upstream)}</span> · ${foreign(operation.description)}</span>`;
    return [
      html`${frame.link(addressOf(operation), html`<span class="mono">${foreign(operation.name)}</span>`)}${about}`,
      categoryChip(family),
      html`${dangerChip(danger.level)}${risks === undefined ? undefined : html` <span class="faint small">more with some arguments</span>`}`,
      html`<span class="${confidence < DOUBTFUL ? 'warn' : ''}">${writeConfidence(confidence)}</span>`,
      frame.link(`try?${new URLSearchParams({ operation: operation.qualifiedName })}`, 'Try', 'button'),
    ];
  });
  const columns = ['Operation', ['Family', 'fit'], ['Danger', 'fit'], ['Sure', 'num'], ['', 'tight fit wide']] as const;
  const text = query.get('q') ?? '';
  const kept = Object.keys(FACETS).map((name) =>
    query.has(name) ? html`<input type="hidden" name="${name}" value="${query.get(name) ?? ''}">` : undefined,
  );
  const about = `${count(found.length, 'operation')} ${text === '' ? `of ${count(servers, 'server')}: what each does, and how sure that is. The most dangerous first.` : 'fit, the best first.'}`;
  return html`${pageHead({ title: 'Catalogue', about, live: true })}
<section class="panel"><form class="filters" method="get" action="${frame.to(SECTION)}" role="search"><span class="search"><label class="hidden" for="q">What it does</label>
<input id="q" type="search" name="q" value="${text}" placeholder="What it does, such as: remove old files  ( / )"></span>${kept}<button>Find</button></form>
<div class="filters">${writeFacet('family', found, query, frame)}${writeFacet('danger', found, query, frame)}${writeFacet('understanding', found, query, frame)}</div>
${table({ caption: `${cut.total} operations`, columns, rows, none: 'Nothing fits.', style: 'wide-first' })}
${pager(frame, SECTION, query, cut)}</section>`;
}

/** Links that narrow the list, each with how many it leaves. */
function writeFacet(
  name: keyof typeof FACETS,
  found: readonly PlacedOperation[],
  query: URLSearchParams,
  frame: Frame,
): Html {
  const of = FACETS[name];
  const counts = groupBy(found, of);
  const chosen = query.get(name) ?? '';
  const link = (value: string, text: string, number: number): Html => {
    const next = new URLSearchParams(query);
    next.delete('page');
    if (value === '') next.delete(name);
    else next.set(name, value);
    const current = value === chosen ? html` aria-current="true"` : undefined;
    return html`<a href="${frame.to(`${SECTION}?${next}`)}"${current}>${text} <small>${number}</small></a>`;
  };
  const links = [...counts].map(([value, those]) => link(value, value, those.length));
  return html`<span class="choices" role="group" aria-label="${name}">${link('', 'All', found.length)}${links}</span>`;
}

function writeConfidence(confidence: number): string {
  return confidence === 1 ? 'declared' : `${Math.round(confidence * 100)} %`;
}

interface OperationModel {
  readonly placed: PlacedOperation;
  readonly definition: RawTool | undefined;
}

function writeOperation({ placed, definition }: OperationModel, frame: Frame): Html {
  const { operation, family, tool } = placed;
  const { category, danger, confidence, evidence, risks = [], trial } = operation.classification;
  const parameters = operation.parameters.map(({ name, required, place }) => [
    foreign(name),
    required ? 'required' : 'optional',
    place,
  ]);
  const tryIt = `try?${new URLSearchParams({ operation: operation.qualifiedName })}`;
  const reasons = panel('Why it is judged so', body(listOf([...evidence, ...danger.reasons])));
  return html`${pageHead({
    crumb: frame.link(SECTION, 'Catalogue', 'plain'),
    title: operationName(operation.qualifiedName),
    about: html`<span class="value">${foreign(operation.description)}</span>`,
    actions: frame.link(tryIt, 'Try it', 'button button-primary'),
    live: true,
  })}
<div class="columns columns-2-1">${stack(
    reasons,
    risks.length === 0 ? undefined : panel('What makes a call more dangerous', body(listOf(risks.map(describeRisk)))),
    panel(
      'Parameters',
      table({
        caption: 'Parameters',
        columns: ['Name', 'Needed', 'Place'],
        rows: parameters.slice(0, MOST_PARAMETERS),
        none: 'It takes none.',
        style: 'pairs',
      }),
    ),
    definition &&
      html`<section class="panel"><details id="definition" class="panel-body"><summary>The definition as the server sent it</summary>${boundedJson(definition)}</details></section>`,
  )}
${stack(
  panel(
    'How it is treated',
    facts([
      ['Server', foreign(operation.upstream)],
      ['Its tool', html`<span class="mono">${foreign(operation.tool)}</span>`],
      ['Family', html`${categoryChip(family)} offered by <span class="mono">${tool}</span>`],
      ['Category', category],
      ['Danger', dangerChip(danger.level)],
      ['Sure', html`<span class="${confidence < DOUBTFUL ? 'warn' : ''}">${writeConfidence(confidence)}</span>`],
      ['A dry run', trial && foreign(trial.reason)],
    ]),
  ),
  operation.upstream === GATEWAY_SOURCE ? undefined : writeJudging(operation, frame),
)}</div>`;
}

const MOST_PARAMETERS = 200;

function describeRisk({ path, danger, reason }: Risk): string {
  return `${path.join('.')}: ${danger}, as ${reason}`;
}

function listOf(texts: readonly string[]): Html {
  return html`<ul class="bullets">${[...new Set(texts)].slice(0, MOST_PARAMETERS).map((text) => html`<li>${foreign(text)}</li>`)}</ul>`;
}

/** Leads to the preview: nothing is written before it was read. */
function writeJudging(operation: Operation, frame: Frame): Html {
  const options = (names: readonly string[]): Html =>
    html`<option value="">as the gateway finds</option>${names.map((name) => html`<option>${name}</option>`)}`;
  const fields = html`<div class="field"><label for="category">Category</label><select id="category" name="category">${options(CATEGORIES)}</select></div>
<div class="field"><label for="danger">Danger</label><select id="danger" name="danger">${options(DANGER_LEVELS)}</select></div>
<p class="hint">EXECUTE without a danger counts as destructive where nothing else says what it runs.</p>
<div class="field"><button>Preview</button></div>`;
  return panel(
    'Judge it otherwise',
    html`<form class="panel-body" method="get" action="${frame.to(`${addressOf(operation)}/preview`)}">${fields}</form>`,
  );
}

interface PreviewModel {
  readonly operation: Operation;
  readonly judgement: Judgement;
  readonly preview: CurationPreview | string;
}

function writePreview({ operation, judgement, preview }: PreviewModel, frame: Frame): Html {
  const crumb = frame.link(addressOf(operation), foreign(operation.name), 'plain');
  const title = html`What would change: ${foreign(operation.name)}`;
  if (typeof preview === 'string') return html`${pageHead({ crumb, title })}${alert('bad', foreign(preview))}`;
  const { change, operations, digest } = preview;
  if (change.before === change.after)
    return html`${pageHead({ crumb, title })}${alert('warn', 'The file says this already: nothing would change.')}`;
  const rows = operations.map(({ name, before, after }) => [
    html`<span class="mono">${foreign(name)}</span>`,
    writeTreatment(before),
    html`<b>${writeTreatment(after)}</b>`,
  ]);
  const none = 'Nothing: a later pattern of the same file decides. Change that one.';
  const actions = frame.form(`${addressOf(operation)}/judge`, html`<button class="button-primary">Save</button>`, {
    fields: { ...judgement, digest },
  });
  return html`${pageHead({ crumb, title, about: 'Nothing is written before it is saved.', actions })}
${stack(
  panel(
    'For callers',
    table({ caption: 'Operations that are treated otherwise', columns: ['Operation', 'Now', 'Then'], rows, none }),
  ),
  panel(html`In ${foreign(change.file)}`, fileDifference(change)),
)}`;
}

function writeTreatment(treatment: Treatment | undefined): string {
  if (treatment === undefined) return 'not there';
  const { category, danger, family, policy } = treatment;
  return `${category}, ${danger}, family ${family}, policy: ${policy}`;
}
