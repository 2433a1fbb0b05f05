import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { echoName } from '../../base/lib/text.js';
import type { OperationHandler } from '../../base/protocol/call.js';
import { APPS_EXTENSION, isVendorMethod, SKILLS_EXTENSION } from '../../base/protocol/extensions.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { askUpstream } from './ask-upstream.js';
import type { Upstreams } from './primitive-lists.js';
import type { KnownLists } from './reader-lists.js';
import { handOver } from './shape-contents.js';

/** The capabilities of MCP that servers have names of their own in. */
const KINDS = ['extensions', 'experimental'] as const;

export type ExtensionKind = (typeof KINDS)[number];

interface ExtensionsDeps {
  readonly lists: Pick<KnownLists, 'declaring' | 'capabilitiesOf'>;
  /** Whether the operator has the server told that its clients have this: only what both sides declare is in force. */
  readonly isTold: (upstream: string, kind: ExtensionKind, name: string) => boolean;
}

/** MCP's own names. What such an extension asks of a gateway is known or not, as its methods do not begin with its name. */
const OFFICIAL = /^io\.modelcontextprotocol\//;

/** Those that the gateway carries for any number of servers: it knows whose each page and each skill is. */
const OF_ALL: ReadonlySet<string> = new Set([APPS_EXTENSION, SKILLS_EXTENSION]);

const SKILL_METHODS: ReadonlySet<string> = new Set(['skills/list', 'skills/get', 'resources/directory/read']);

const NOBODYS = 'no server that you reach through this gateway has an extension with it';

/**
 * Which extensions and experimental capabilities of servers are in force for the gateway's clients. The methods of one that the gateway does
 * not know go to its server, where only one has it (docs/adr/0063-extensions-are-told-where-they-are-carried.md).
 */
export class Extensions {
  readonly #deps: ExtensionsDeps;

  constructor(deps: ExtensionsDeps) {
    this.#deps = deps;
  }

  /** Those of one kind that are carried, with what servers say of them. */
  inForce(kind: ExtensionKind, mayCall: (upstream: string) => boolean): JsonObject {
    const told = this.#names(kind).flatMap((name) => {
      const servers = this.#serversOf(kind, name);
      const [only] = servers;
      if (only === undefined) return [];
      if (!OF_ALL.has(name) && (servers.length > 1 || !mayCall(only))) return [];
      return [[name, mergeSettings(servers.map((slug) => this.#saidBy(slug, kind)[name]))] as const];
    });
    return Object.fromEntries(told);
  }

  /** The servers with which one is in force. Servers need not be told of skills. */
  #serversOf(kind: ExtensionKind, name: string): readonly string[] {
    const { lists, isTold } = this.#deps;
    return lists.declaring(kind).filter((slug) => {
      if (!isJsonObject(this.#saidBy(slug, kind)[name])) return false;
      return name === SKILLS_EXTENSION
        ? isJsonObject(lists.capabilitiesOf(slug)?.['resources'])
        : isTold(slug, kind, name);
    });
  }

  /** The server that a method of a vendor's extension is for; a refusal where it is none's, or nothing says which of several is meant. */
  serverOf(method: string): string | OperationError {
    const found = KINDS.flatMap((kind) =>
      this.#names(kind)
        .filter((name) => isVendorMethod(method) && method.startsWith(`${name}/`))
        .map((name) => ({ name, servers: this.#serversOf(kind, name) })),
    ).find(({ servers }) => servers.length > 0);
    if (found === undefined) return notCarried(method, NOBODYS);
    const [only, ...others] = found.servers;
    if (only !== undefined && others.length === 0) return only;
    const several = `${found.servers.length} servers have '${found.name}', and nothing says which of them is meant`;
    return notCarried(method, `${several}. Use an endpoint with one of them`);
  }

  /** Why no server answers a method of an extension; undefined where one does. */
  refusalOf(method: string): OperationError | undefined {
    const isKnown = SKILL_METHODS.has(method) && this.#serversOf('extensions', SKILLS_EXTENSION).length > 0;
    const found = isKnown ? undefined : this.serverOf(method);
    return found instanceof OperationError ? found : undefined;
  }

  /** Whether some vendor's method may be called, if only in a view. */
  haveMethods(): boolean {
    return KINDS.some((kind) =>
      this.#names(kind).some((name) => !OF_ALL.has(name) && this.#serversOf(kind, name).length > 0),
    );
  }

  #names(kind: ExtensionKind): readonly string[] {
    const names = this.#deps.lists.declaring(kind).flatMap((slug) => Object.keys(this.#saidBy(slug, kind)));
    return [...new Set(names)].filter((name) => OF_ALL.has(name) || !OFFICIAL.test(name));
  }

  #saidBy(slug: string, kind: ExtensionKind): JsonObject {
    const said = this.#deps.lists.capabilitiesOf(slug)?.[kind];
    return isJsonObject(said) ? said : {};
  }
}

/** What one server has, the gateway has. */
function mergeSettings(settings: readonly unknown[]): JsonObject {
  const members = settings.filter(isJsonObject).flatMap((each) => Object.entries(each));
  return Object.fromEntries(members.toSorted(([, a], [, b]) => Number(a === true) - Number(b === true)));
}

function notCarried(method: string, why: string): OperationError {
  const name = echoName(method);
  return new OperationError('NOT_FOUND_OPERATION', `Method not found: '${name}'. Here ${why}`, { method: name });
}

/** Sends a method of an extension to its server, and gives the result as it came. */
export function createExtensionHandler({ upstreams }: { readonly upstreams: Upstreams }): OperationHandler {
  return async (call) => {
    const { method, method_params: given } = call.arguments;
    const { _meta, ...params } = isJsonObject(given) ? given : {};
    const result = await askUpstream(upstreams, call, String(method), params);
    if (call.native !== undefined) return { native: result };
    return { toolResult: await handOver({ content: [], structuredContent: result }, call) };
  };
}
