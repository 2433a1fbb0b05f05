import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { exactly, type Html, html } from '../../base/lib/html.js';
import { addServers, type NewServer, removeServer } from '../../config/edit/change-servers.js';
import { JsoncSyntaxError, parseJsonc } from '../../config/load/parse-jsonc.js';
import type { Gateway } from '../../gateway/gateway.js';
import {
  asPreviewed,
  type Change,
  changeConfiguration,
  type PreviewedChange,
  previewChange,
} from '../admin/change-configuration.js';
import { findEntryFault } from '../admin/operations-api.js';
import { alert, foreign, pageHead, panel, stack } from '../layout/components.js';
import { fileDifference } from '../layout/differences.js';
import type { Frame } from '../layout/frame.js';
import { type Action, definePage, type Outcome, type Part } from '../layout/page.js';

const SECTION = 'upstreams';

/** No server is called so: its pages are below `upstreams`. */
const DRAFTS = 'servers/add';

/** Drafts that are kept, of all operators. They may hold secrets: they are in no address, and in memory alone. */
const MOST_DRAFTS = 20;

/** What an operator wants to add. */
interface Draft {
  readonly operator: string;
  readonly text: string;
  readonly name: string;
}

/** Adding servers and removing them: nothing is written before the change of the file was read. */
export function openServerChanges(gateway: Gateway): Part {
  const drafts = new Map<string, Draft>();
  const findDraft = (id: string | undefined, operator: string): Draft | undefined => {
    const draft = drafts.get(id ?? '');
    return draft?.operator === operator ? draft : undefined;
  };
  const add = definePage({
    path: DRAFTS,
    title: 'Add a server',
    section: SECTION,
    read: () => ({}),
    render: (_model: object, frame) => writeAdd(frame, { text: '', name: '', operator: '' }),
  });
  const draft = definePage({
    path: `${DRAFTS}/:id`,
    title: 'Add a server',
    section: SECTION,
    read: async ({ params, operator }): Promise<DraftModel | undefined> => {
      const found = findDraft(params['id'], operator);
      if (found === undefined) return undefined;
      const servers = readBlock(found, gateway.config.server.allowRemoteCommands);
      const preview = typeof servers === 'string' ? servers : await previewChange(gateway, adding(servers));
      return { id: params['id'] ?? '', draft: found, preview };
    },
    render: writeDraft,
  });
  const remove = definePage({
    path: `${SECTION}/:slug/remove`,
    title: 'Remove a server',
    section: SECTION,
    read: async ({ params }): Promise<RemoveModel | undefined> => {
      const name = nameOf(gateway, params['slug']);
      if (name === undefined) return undefined;
      return { slug: params['slug'] ?? '', name, preview: await previewChange(gateway, removing(name)) };
    },
    render: writeRemove,
  });
  const keep: Action = {
    section: SECTION,
    path: `${DRAFTS}/preview`,
    run(form, { operator }) {
      const id = randomUUID();
      drafts.set(id, { operator, text: form.get('block') ?? '', name: (form.get('name') ?? '').trim() });
      for (const oldest of [...drafts.keys()].slice(0, -MOST_DRAFTS)) drafts.delete(oldest);
      return { to: `${DRAFTS}/${id}` };
    },
  };
  const save: Action = {
    section: SECTION,
    path: `${DRAFTS}/:id/save`,
    async run(form, { params, operator }) {
      const id = params['id'] ?? '';
      const found = findDraft(id, operator);
      const to = `${DRAFTS}/${id}`;
      const servers = found && readBlock(found, gateway.config.server.allowRemoteCommands);
      if (servers === undefined || typeof servers === 'string')
        return {
          to: SECTION,
          notice: { text: servers ?? 'This change is not kept any more. Begin again.', failed: true },
        };
      const made = await write(
        gateway,
        operator,
        'add_upstream',
        asPreviewed(adding(servers), form.get('digest') ?? ''),
        to,
      );
      if (made.to === SECTION) drafts.delete(id);
      return made;
    },
  };
  const drop: Action = {
    section: SECTION,
    path: `${SECTION}/:slug/remove`,
    run(form, { params, operator }) {
      const to = `${SECTION}/${params['slug']}/remove`;
      const name = nameOf(gateway, params['slug']);
      if (name === undefined)
        return { to: SECTION, notice: { text: 'There is no such server any more.', failed: true } };
      if (!form.has('sure')) return { to, notice: { text: 'Nothing was removed: tick the box first.', failed: true } };
      return write(gateway, operator, 'remove_upstream', asPreviewed(removing(name), form.get('digest') ?? ''), to);
    },
  };
  return { pages: [add, draft, remove], actions: [keep, save, drop] };
}

function nameOf(gateway: Gateway, slug: string | undefined): string | undefined {
  return gateway.status().upstreams.find((each) => each.slug === slug)?.name;
}

function adding(servers: readonly NewServer[]): Change {
  return (config, options) => addServers(config, servers, options);
}

function removing(name: string): Change {
  return (config, options) => removeServer(config, name, options);
}

/** @param to where the change is shown again, should it not be made */
async function write(gateway: Gateway, operator: string, action: string, make: Change, to: string): Promise<Outcome> {
  const changed = await changeConfiguration(gateway, operator, action, make);
  if (changed.kind === 'refused') return { to, notice: { text: changed.problem.message, failed: true } };
  const { problem, changes = 'nothing to change' } = changed.reload;
  return { to: SECTION, notice: { text: problem ?? `Written, and taken: ${changes}.`, failed: problem !== undefined } };
}

/** Members under which clients list their servers. */
const BLOCKS = ['mcpServers', 'servers', 'context_servers'] as const;

/** The servers of a pasted block, or in words what is wrong with it. @param allowsCommands server.allowRemoteCommands */
export function readBlock(
  { text, name }: Pick<Draft, 'text' | 'name'>,
  allowsCommands: boolean,
): readonly NewServer[] | string {
  const block = parseBlock(text);
  if (typeof block === 'string') return block;
  const servers = serversIn(block, name);
  if (typeof servers === 'string') return servers;
  const fault = servers.map(({ entry }) => findEntryFault(entry, allowsCommands)).find((each) => each !== undefined);
  return fault === undefined ? servers : fault.message;
}

/** Blocks are often copied without the braces around them. */
function parseBlock(text: string): JsonObject | string {
  const trimmed = text.trim().replace(/,$/, '');
  try {
    const { value } = parseJsonc(trimmed.startsWith('"') ? `{${trimmed}}` : trimmed);
    return isJsonObject(value) ? value : 'What was pasted is no JSON object.';
  } catch (error) {
    if (!(error instanceof JsoncSyntaxError)) throw error;
    return `What was pasted cannot be read: ${error.message}.`;
  }
}

function serversIn(block: JsonObject, name: string): readonly NewServer[] | string {
  const listed = BLOCKS.map((each) => block[each]).find(isJsonObject);
  if (listed === undefined && (block['command'] !== undefined || block['url'] !== undefined))
    return name === '' ? 'It has no name: give one.' : [{ name, entry: block }];
  const all = Object.entries(listed ?? block);
  const odd = all.find(([, entry]) => !isJsonObject(entry));
  if (all.length === 0) return 'There is no server in what was pasted.';
  if (odd !== undefined) return `'${odd[0].slice(0, 100)}' is no server: each has a 'command' or a 'url'.`;
  return all.map(([each, entry]) => ({
    name: all.length === 1 && name !== '' ? name : each,
    entry: entry as JsonObject,
  }));
}

const EXAMPLE = '{ "mcpServers": { "wiki": { "url": "https://wiki.example.org/mcp" } } }';

function writeAdd(frame: Frame, draft: Draft): Html {
  const fields = html`<div class="field"><label for="block">Block <span class="hint">as clients have it in <code>mcpServers</code>, or one entry of it</span></label>
<textarea id="block" name="block" rows="10" class="mono" required placeholder="${EXAMPLE}">${exactly(draft.text)}</textarea></div>
<div class="field"><label for="name">Name <span class="hint">where the block has none, or another one is wanted</span></label>
<input id="name" type="text" name="name" maxlength="100" value="${exactly(draft.name)}"></div>
<div class="field"><button class="button-primary">Preview</button></div>`;
  return html`${pageHead({
    crumb: frame.link(SECTION, 'Servers', 'plain'),
    title: 'Add a server',
    about: 'Paste what its documentation says. Nothing is written before you have seen the change of the file.',
  })}
<section class="panel">${frame.form(`${DRAFTS}/preview`, fields, { class: 'panel-body' })}</section>`;
}

interface DraftModel {
  readonly id: string;
  readonly draft: Draft;
  readonly preview: PreviewedChange | string;
}

function writeDraft({ id, draft, preview }: DraftModel, frame: Frame): Html {
  if (typeof preview === 'string')
    return html`${stack(alert('bad', html`<h2>It cannot be added so</h2><p>${foreign(preview)}</p>`), writeAdd(frame, draft))}`;
  const { digest } = preview;
  return html`${pageHead({
    crumb: frame.link(DRAFTS, 'Add a server', 'plain'),
    title: 'What would change',
    about: 'The whole configuration was checked with it. The server starts as soon as it is saved.',
    actions: frame.form(`${DRAFTS}/${id}/save`, html`<button class="button-primary">Save</button>`, {
      fields: { digest },
    }),
  })}
${writeChange(preview)}`;
}

interface RemoveModel {
  readonly slug: string;
  readonly name: string;
  readonly preview: PreviewedChange | string;
}

function writeRemove({ slug, name, preview }: RemoveModel, frame: Frame): Html {
  const head = {
    crumb: frame.link(`${SECTION}/${slug}`, foreign(name), 'plain'),
    title: html`Remove ${foreign(name)}`,
  };
  if (typeof preview === 'string') return html`${pageHead(head)}${alert('bad', foreign(preview))}`;
  const { moved, digest } = preview;
  const fields = html`<label class="check"><input class="sure" type="checkbox" name="sure" value="yes" required> Its operations are gone for every client</label>
<div class="actions"><button class="button-danger">Remove</button></div>`;
  const form = frame.form(`${SECTION}/${slug}/remove`, fields, { fields: { digest }, class: 'panel-body decide' });
  return html`${pageHead({ ...head, about: 'What is written is the change below. Disabling keeps the entry.' })}
<div class="columns columns-2-1">${writeChange(preview)}
${stack(
  panel('Remove it', form),
  moved === undefined ? undefined : alert('warn', html`<p>Its own file is kept as ${foreign(moved)}.</p>`),
)}</div>`;
}

function writeChange(change: PreviewedChange): Html {
  return panel(html`In ${foreign(change.file)}`, fileDifference(change));
}
