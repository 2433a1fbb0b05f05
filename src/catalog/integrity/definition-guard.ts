import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { OwnedMap, type Whose } from '../../base/lib/owned-map.js';
import type { Diagnostic, Introduction, RawTool, ToolSet } from '../../base/protocol/tools.js';
import type { LockContent, UpstreamConfig } from '../../config/gateway-config.js';
import { guardTools, isAccepted, reportSuspicion, type WithheldTool } from './guard-tools.js';
import { type ToolRecord, ToolRecords } from './tool-record.js';

/** What one server defines beside tools. */
export interface DefinitionSet extends ToolSet {
  /** The kinds that could not be read, so that it may have some. */
  readonly unread: readonly DefinitionKind[];
}

/** What a server defines beside tools, and models read: prompts, URI templates, and what it says of itself. */
const KINDS = ['prompt', 'template', 'server'] as const;

export type DefinitionKind = (typeof KINDS)[number];

function byKind<Value>(): Readonly<Record<DefinitionKind, OwnedMap<Value>>> {
  return { prompt: new OwnedMap(), template: new OwnedMap(), server: new OwnedMap() };
}

/** The name of a definition in the lock, beside those of tools. */
export function keyOfDefinition(kind: DefinitionKind, id: string): string {
  return kind === 'server' ? kind : `${kind}:${id}`;
}

/** Whether a name in the lock is one of a definition of this kind. */
export function isOfKind(key: string, kind: DefinitionKind): boolean {
  return key === keyOfDefinition(kind, key.slice(kind.length + 1));
}

/** A prompt in the form in which tools are compared: its arguments are parameters. */
export function definePrompt(value: JsonObject): RawTool {
  const { name, title, description, arguments: args, ...more } = value;
  const parameters = Array.isArray(args) ? args.filter(isJsonObject) : [];
  const properties = parameters.map(({ name: parameter, required: _required, ...rest }) => [String(parameter), rest]);
  const required = parameters.filter((each) => each['required'] === true).map((each) => String(each['name']));
  const inputSchema = { type: 'object', properties: Object.fromEntries(properties), required };
  return given({ name: keyOfDefinition('prompt', String(name)), title, description, inputSchema, ...others(more) });
}

/** A URI template in the same form. */
export function defineTemplate({ uriTemplate, name, title, description, mimeType, ...more }: JsonObject): RawTool {
  const annotations = given({ name, mimeType });
  const key = keyOfDefinition('template', String(uriTemplate));
  return given({ name: key, title, description, annotations, ...others(more) });
}

/** What else reaches clients, in one member: its own names are those of tools. */
function others({ icons: _icons, _meta, ...more }: JsonObject): JsonObject {
  return Object.keys(more).length === 0 ? {} : { more };
}

/** What a server says of itself in the same form; none where it says nothing. */
export function defineServer(introduction: Introduction | undefined): readonly RawTool[] {
  if (introduction === undefined) return [];
  const { title, description, instructions } = introduction;
  const annotations = description === undefined ? {} : { annotations: { description } };
  return [given({ name: keyOfDefinition('server', ''), title, description: instructions, ...annotations })];
}

function given(members: JsonObject): RawTool {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

interface DefinitionGuardDeps {
  /** The settings of this moment; of `lock` the content is what the operator accepted, null when there is no lock. */
  readonly settings: () => {
    readonly upstreams: readonly UpstreamConfig[];
    readonly lock: { readonly content: LockContent | null };
  };
  /** Called once for each finding, until it is gone. */
  readonly onFinding: (finding: Diagnostic) => void;
}

/** Why a definition is withheld, by its key. */
export type WithheldDefinitions = ReadonlyMap<string, WithheldTool['kind']>;

const NONE: WithheldDefinitions = new Map();

/**
 * Compares what servers define beside tools with what was accepted, as `guardTools` does with tools: as far as the upstream's
 * `integrity` asks, and each time it is read.
 */
export class DefinitionGuard {
  readonly #deps: DefinitionGuardDeps;
  readonly #records = new ToolRecords();
  /** The first of each kind since the start. */
  readonly #first = byKind<ToolSet>();
  readonly #findings = byKind<readonly Diagnostic[]>();

  constructor(deps: DefinitionGuardDeps) {
    this.#deps = deps;
  }

  /** Whether an upstream's definitions are withheld until they are accepted. */
  quarantines(slug: string): boolean {
    return this.#upstreamOf(slug)?.integrity === 'quarantine';
  }

  /** @param definitions all of the kind. Returns those that must not be shown. */
  check(whose: Whose, kind: DefinitionKind, definitions: readonly RawTool[]): WithheldDefinitions {
    const upstream = this.#upstreamOf(whose.upstream);
    if (upstream === undefined) return NONE;
    const compared = upstream.integrity === 'off' ? undefined : this.#compare(upstream, whose, kind, definitions);
    const accepted = { lock: this.#lockOf(upstream, kind), records: this.#records };
    const inspected = definitions.map((each) => this.#records.of(each));
    this.#report(this.#findings[kind], whose, [
      ...(compared?.diagnostics ?? []),
      ...inspected.flatMap((each) => inspect(upstream, each, isAccepted(each, upstream, accepted))),
    ]);
    const withheld = compared?.withheld ?? [];
    return withheld.length === 0 ? NONE : new Map(withheld.map(({ tool, kind: why }) => [tool, why]));
  }

  /** An upstream is compared as for the first time: its settings, or the lock, have changed. */
  forget(slug: string): void {
    for (const kind of KINDS) {
      this.#first[kind].deleteServer(slug);
      this.#findings[kind].deleteServer(slug);
    }
  }

  #upstreamOf(slug: string): UpstreamConfig | undefined {
    return this.#deps.settings().upstreams.find((upstream) => upstream.slug === slug);
  }

  #compare(upstream: UpstreamConfig, whose: Whose, kind: DefinitionKind, definitions: readonly RawTool[]) {
    const { slug } = upstream;
    const toolSet: ToolSet = { upstream: slug, tools: definitions };
    const lock = this.#lockOf(upstream, kind);
    const first = this.#first[kind].get(whose) ?? toolSet;
    if (lock === null) this.#first[kind].set(whose, first);
    return guardTools({
      toolSets: [toolSet],
      upstreams: [upstream],
      lock,
      firstToolSets: new Map([[slug, first]]),
      records: this.#records,
      what: 'definition',
    });
  }

  /** What was found when what everybody sees was read last: what is one user's is reported, and listed to nobody. */
  findings(): readonly Diagnostic[] {
    const shared = (kind: DefinitionKind) => (upstream: UpstreamConfig) =>
      this.#findings[kind].get({ upstream: upstream.slug, owner: undefined }) ?? [];
    return KINDS.flatMap((kind) => this.#deps.settings().upstreams.flatMap(shared(kind)));
  }

  /** The part of the lock that these are compared with. */
  #lockOf({ name }: UpstreamConfig, kind: DefinitionKind): LockContent | null {
    const lock = this.#deps.settings().lock.content;
    if (lock === null) return null;
    const { others = {} } = lock;
    const accepted = Object.hasOwn(others, name) ? others[name] : undefined;
    if (accepted === undefined) return { version: 1, upstreams: {} };
    const own = Object.entries(accepted).filter(([key]) => isOfKind(key, kind));
    return { version: 1, upstreams: { [name]: Object.fromEntries(own) } };
  }

  #report(reported: OwnedMap<readonly Diagnostic[]>, whose: Whose, findings: readonly Diagnostic[]): void {
    const known = new Set(reported.get(whose)?.map(({ message }) => message));
    reported.set(whose, findings);
    for (const finding of findings) if (!known.has(finding.message)) this.#deps.onFinding(finding);
  }
}

/** What an operator should review in a definition, whether or not it is compared. */
function inspect(
  { name, slug }: UpstreamConfig,
  { raw, suspicions }: ToolRecord,
  isReviewed: boolean,
): readonly Diagnostic[] {
  const key = String(raw['name']);
  return suspicions.map(({ kind, says }) => {
    const message = `Definition '${key}' of '${name}' should be reviewed: it ${says}`;
    return reportSuspicion({ kind, upstream: slug, tool: key, message }, isReviewed);
  });
}
