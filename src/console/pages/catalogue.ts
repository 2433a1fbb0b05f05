import { type Html, html } from '../../base/lib/html.js';
import { CATEGORIES, DANGER_LEVELS, GATEWAY_SOURCE, type Operation, type Risk } from '../../base/protocol/operation.js';
import type { RawTool } from '../../base/protocol/tools.js';
import type { Gateway, PlacedOperation } from '../../gateway/gateway.js';
import {
  type CurationPreview,
  type Judgement,
  previewCuration,
  saveCuration,
  type Treatment,
} from '../../gateway/review/curation-review.js';
import { describeChangeFault, NO_FILE } from '../admin/change-configuration.js';
import { facts, foreign, table } from '../layout/components.js';
import { boundedJson, lineDifference } from '../layout/differences.js';
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
    pulse,
    read: async ({ query }): Promise<ListModel> => {
      const found = await findOperations(gateway, query.get('q') ?? '', query.get('family') ?? '');
      return { query, families: gateway.status().families, cut: cutPage(found, query, SHOWN) };
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

async function findOperations(gateway: Gateway, text: string, family: string): Promise<readonly PlacedOperation[]> {
  const all = gateway.operations();
  const isMeant = (placed: PlacedOperation): boolean => family === '' || placed.family === family;
  if (text.trim() === '') return all.filter(isMeant);
  const { hits } = await gateway.search(text.slice(0, 500), MOST_HITS);
  const places = new Map(all.map((placed) => [placed.operation, placed]));
  return hits.flatMap(({ operation }) => places.get(operation) ?? []).filter(isMeant);
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
  readonly families: readonly { readonly name: string; readonly tool: string; readonly operations: number }[];
  readonly cut: Cut<PlacedOperation>;
}

function writeList({ query, families, cut }: ListModel, frame: Frame): Html {
  const chosen = query.get('family') ?? '';
  const options = families.map(({ name, operations }) => {
    const selected = name === chosen ? html` selected` : undefined;
    return html`<option value="${name}"${selected}>${name} (${operations})</option>`;
  });
  const rows = cut.items.map(({ operation, family }) => {
    const { category, danger, confidence } = operation.classification;
    return [
      html`<a href="${frame.to(addressOf(operation))}">${foreign(operation.name)}</a>`,
      foreign(operation.upstream),
      family,
      category,
      html`${danger.level}${operation.classification.risks === undefined ? undefined : ', more with some arguments'}`,
      writeConfidence(confidence),
    ];
  });
  const columns = ['Operation', 'Server', 'Family', 'Category', 'Danger', 'Confidence'];
  return html`<h1>Catalogue</h1>
<form method="get" action="${frame.to(SECTION)}" role="search">
<label>What it does <input type="search" name="q" value="${query.get('q') ?? ''}"></label>
<label>Family <select name="family"><option value="">all</option>${options}</select></label> <button>Find</button></form>
${table({ caption: `${cut.total} operations`, columns, rows, none: 'Nothing fits.' })}
${pager(frame, SECTION, query, cut)}`;
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
  return html`<h1>${foreign(operation.name)}</h1>
<p>${foreign(operation.description)}</p>
${facts([
  ['Server', foreign(operation.upstream)],
  ['Its tool', foreign(operation.tool)],
  ['Family', html`${family}, offered by ${tool}`],
  ['Category', category],
  ['Danger', danger.level],
  ['Confidence', writeConfidence(confidence)],
])}
<h2>Why it is judged so</h2>
${listOf([...evidence, ...danger.reasons])}
${risks.length === 0 ? undefined : html`<h2>What makes a call more dangerous</h2>${listOf(risks.map(describeRisk))}`}
${trial === undefined ? undefined : html`<p>A dry run: ${foreign(trial.reason)}.</p>`}
${operation.upstream === GATEWAY_SOURCE ? undefined : writeJudging(operation, frame)}
<h2>Parameters</h2>
${table({ caption: 'Parameters', columns: ['Name', 'Needed', 'Place'], rows: parameters.slice(0, MOST_PARAMETERS), none: 'It takes none.' })}
${definition === undefined ? undefined : html`<details id="definition"><summary>The definition as the server sent it</summary>${boundedJson(definition)}</details>`}`;
}

const MOST_PARAMETERS = 200;

function describeRisk({ path, danger, reason }: Risk): string {
  return `${path.join('.')}: ${danger}, as ${reason}`;
}

function listOf(texts: readonly string[]): Html {
  return html`<ul>${[...new Set(texts)].slice(0, MOST_PARAMETERS).map((text) => html`<li>${foreign(text)}</li>`)}</ul>`;
}

/** Leads to the preview: nothing is written before it was read. */
function writeJudging(operation: Operation, frame: Frame): Html {
  const options = (names: readonly string[]): Html =>
    html`<option value="">as the gateway finds</option>${names.map((name) => html`<option>${name}</option>`)}`;
  return html`<h2>Judge it otherwise</h2>
<form method="get" action="${frame.to(`${addressOf(operation)}/preview`)}">
<label>Category <select name="category">${options(CATEGORIES)}</select></label>
<label>Danger <select name="danger">${options(DANGER_LEVELS)}</select></label>
<p>EXECUTE without a danger counts as destructive where nothing else says what it runs.</p>
<button>Preview</button></form>`;
}

interface PreviewModel {
  readonly operation: Operation;
  readonly judgement: Judgement;
  readonly preview: CurationPreview | string;
}

function writePreview({ operation, judgement, preview }: PreviewModel, frame: Frame): Html {
  const back = html`<p><a href="${frame.to(addressOf(operation))}">Back to the operation</a></p>`;
  const head = html`<h1>What would change: ${foreign(operation.name)}</h1>`;
  if (typeof preview === 'string') return html`${head}<p class="bad">${foreign(preview)}</p>${back}`;
  const { change, operations, digest } = preview;
  if (change.before === change.after)
    return html`${head}<p>The file says this already: nothing would change.</p>${back}`;
  const rows = operations.map(({ name, before, after }) => [
    foreign(name),
    writeTreatment(before),
    writeTreatment(after),
  ]);
  const none = 'Nothing: a later pattern of the same file decides. Change that one.';
  return html`${head}
<h2>For callers</h2>
${table({ caption: 'Operations that are treated otherwise', columns: ['Operation', 'Now', 'Then'], rows, none })}
<h2>In ${foreign(change.file)}</h2>
${lineDifference(change.before, change.after)}
${frame.form(`${addressOf(operation)}/judge`, html`<button>Save</button>`, { fields: { ...judgement, digest } })}
${back}`;
}

function writeTreatment(treatment: Treatment | undefined): string {
  if (treatment === undefined) return 'not there';
  const { category, danger, family, policy } = treatment;
  return `${category}, ${danger}, family ${family}, policy: ${policy}`;
}
