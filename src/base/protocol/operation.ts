import type { JsonObject, JsonSchema } from '../json/json.js';
import { Versions } from '../lib/collections.js';

/** One parameter, as callers name it and as the upstream names it. */
export interface Parameter {
  /** Canonical snake_case name. */
  readonly name: string;
  /** The upstream's own spelling, which is sent to it; also accepted from callers. */
  readonly upstreamName: string;
  /** Where callers put it: beside the identifiers, or inside an UPDATE's `input`. */
  readonly place: 'params' | 'input';
  /** Set for switches of an UPDATE's call (`dry_run`, `notify`): they stand beside `input` and are accepted inside it too. */
  readonly eitherPlace?: true;
  readonly required: boolean;
  /** The upstream's own schema of this parameter; `$ref`s resolve against the operation's `inputSchema`. */
  readonly schema: JsonSchema;
}

/** An operation's parameters, ready to be looked up. */
export interface ParameterScope {
  /** By canonical name and by the upstream's spelling. */
  readonly byName: ReadonlyMap<string, Parameter>;
  readonly byUpstreamName: ReadonlyMap<string, Parameter>;
  /** Canonical names, each once. */
  readonly canonical: ReadonlySet<string>;
  readonly required: readonly Parameter[];
  /** Whether some of them lie inside `input`. */
  readonly hasInput: boolean;
}

/** An operation's category and danger, with the evidence in words. */
export interface Classification {
  readonly category: Category;
  readonly danger: DangerAssessment;
  /** 0 (a guess) to 1 (declared by the operator). */
  readonly confidence: number;
  readonly evidence: readonly string[];
  /** The server whose definition this is, where it was reviewed and the classification follows from that. */
  readonly known?: string;
  /** The arguments with which a call does more than the operation usually does; absent where none is known. */
  readonly risks?: readonly Risk[];
  /** The switch with which a call only shows what it would do; absent where there is none, or where it is not believed. */
  readonly trial?: Trial;
  /** What it runs, where calls of it exist that are proven to only read; absent where none can be. */
  readonly statement?: Statement;
  /** The parameters by whose value each call is judged, of a tool that does whatever it is told; absent elsewhere. */
  readonly deciding?: readonly Deciding[];
  /** The parameters whose texts are looked at and not run; true where its operator names its risks. */
  readonly unrun?: true | readonly string[];
  /** Parameters that hold what is searched for: words, whatever they say. */
  readonly sought?: readonly string[] | undefined;
  /** The account that decides what its calls can do, where that is known not to write; absent elsewhere. */
  readonly account?: ReadOnlyAccount;
}

/** A free parameter that says what a call does. */
export interface Deciding {
  /** In the upstream's spelling. */
  readonly parameter: string;
  /** An action by its name, an HTTP method, or a command with its arguments. */
  readonly kind: 'action' | 'method' | 'command';
  /** Values that the tool's texts list, and of which they tell no loss. */
  readonly listed: readonly string[];
}

/** A boolean parameter that makes of a call a dry run, in the upstream's spelling. */
export interface Trial {
  readonly parameter: string;
  /** Why it counts, in words: "parameter 'dryRun' only shows the change". */
  readonly reason: string;
}

/** A single value as JSON writes it. */
export type RiskValue = string | number | boolean;

/** What a value must be for a risk to apply. */
export type RiskCondition =
  /** Given, and neither null, false nor empty. */
  | { readonly present: true }
  /** One of these; `"true"` and 1 count as true. */
  | { readonly is: readonly RiskValue[] }
  /** Left out, or none of these. */
  | { readonly unless: readonly RiskValue[] }
  /** A member of one of these names, at any depth. */
  | { readonly holds: readonly string[] }
  /** A word of its texts, at any depth, begins with one of these: an option in a list of arguments. */
  | { readonly begins: readonly string[] }
  /** A text whose words say that something is lost; `listed` are the other states that it may name. */
  | { readonly loses: 'state' | 'method'; readonly listed: readonly string[] }
  /** A selection that leaves nothing out: an empty one, where that says everything, `*`, `all`. */
  | { readonly selects: 'everything'; readonly whenEmpty: boolean };

/** An argument with which a call is more dangerous than its operation. With any of them a READ is no READ. */
export interface Risk {
  /** The parameter in the upstream's spelling and the members inside it; lists on the way are looked through. */
  readonly path: readonly string[];
  readonly when: RiskCondition;
  readonly danger: DangerLevel;
  /** Why, in words: "parameter 'force' overrides what protects against loss". */
  readonly reason: string;
  /** Set where a dry run does none of it: the risk is part of the change that is only shown. */
  readonly simulated?: true;
}

/** How an update that replaces becomes one that merges: the gateway reads the object first (specification, section 4.5.1). */
export interface MergeRule {
  /** A READ operation of the same upstream, by its qualified name, its name within the upstream, or its tool's name. */
  readonly read: string;
  /** The read's parameter, by the update's parameter with its value, where the names differ: `{"id": "record_id"}`. */
  readonly identifiers?: Readonly<Record<string, string>>;
  /** The path of the object in the read's answer, dotted, with indexes (`items.0`); by default the answer itself. */
  readonly path?: string;
  /** What the update sends; `changed` where absent. */
  readonly writes?: MergeWrites;
}

/** How an operation that only starts a job is followed to the job's end, by other operations of its upstream. Paths are dotted. */
export interface JobRule {
  /** The operation that says how far the job is: its tool's or its own name. */
  readonly poll: string;
  /** The operation that ends it; absent where none can. */
  readonly cancel?: string;
  /** Where the job's id is in the answer that starts it. */
  readonly id: string;
  /** The parameter of both operations that takes the id. */
  readonly parameter: string;
  /** Where the job's state is in the answer of `poll`. */
  readonly status: string;
  /** The server's words that end a job; any other means that it runs. */
  readonly states: Readonly<Record<string, 'completed' | 'failed' | 'cancelled'>>;
  /** Where its progress in percent is, and words about it. */
  readonly percentage?: string;
  readonly message?: string;
  readonly everySeconds?: number;
}

/** The operator's note that an operation is deprecated. */
export interface Deprecation {
  /** What to call instead. */
  readonly replacement?: string;
  /** The date of removal as the operator wrote it: `2027-01-31`. */
  readonly removalDate?: string;
  readonly note?: string;
}

/** One operation that callers can call: an upstream's tool or a built-in. Built once per definition and never changed. */
export interface Operation extends OperationFields {
  readonly scope: ParameterScope;
  /**
   * The digest of the tool's definition, of what the operation fixes of it, and of how calls are rated: equal where a catalog was
   * rebuilt from the same definition. The operation as one call uses it has its operation's digest.
   */
  readonly definition: string;
  /** As some of its calls use it, by what they do. */
  readonly variants: Variants;
}

/**
 * The operation as the calls of one kind use it: the same object for each of them, as rules, quotas and learned shapes go by it.
 * @param make what is other than in the operation
 */
export function variantOf(operation: Operation, kind: string, make: () => Partial<OperationFields>): Operation {
  return operation.variants.of(operation, kind, () => ({ ...operation, ...make(), variants: new Variants() }));
}

/** What is made of one operation. A copy of the operation that has the same object keeps nothing in it: what is made of that differs. */
export class Variants {
  readonly #kept = new Versions<Operation>();
  #owner: Operation | undefined;

  of(operation: Operation, kind: string, make: () => Operation): Operation {
    this.#owner ??= operation;
    return this.#owner === operation ? this.#kept.of(kind, make) : make();
  }
}

/** MCP's word for what servers offer; tools are operations of their own. */
export type Primitive = 'resources' | 'prompts' | 'completions' | 'extensions';

export interface OperationFields {
  /** The exposed name: bare where unique, else qualified. */
  readonly name: string;
  /** `upstream__name`; always accepted. Equal to `name` for built-ins. */
  readonly qualifiedName: string;
  /** The upstream that serves it, or `gateway`. */
  readonly upstream: string;
  /** The tool's name exactly as the upstream spells it. */
  readonly tool: string;
  /** The names within its upstream of what it is a part of: a grouped tool, or the runner whose reads it is. Absent for whole tools. */
  readonly partOf?: readonly string[] | undefined;
  /** Of a call whose answer the gateway makes from what several upstreams have: their slugs. */
  readonly sources?: readonly string[];
  readonly classification: Classification;
  /** What the operation does, cleaned of control characters. */
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** Names of the parameters that find the resource of an UPDATE; empty elsewhere. */
  readonly identifiers: readonly string[];
  /** Whether parameters that are not described are refused (specification, section 4.6). */
  readonly strict: boolean;
  /** Set where members of nested objects that their schema does not name are refused, too. */
  readonly strictInside?: true | undefined;
  /** Set where `format` refuses what its standard does not allow, and not only what no reading of it accepts. */
  readonly formats?: 'strict' | undefined;
  /** What the operator says of parameters that are not described. */
  readonly unknownParameters?: 'allow' | 'refuse' | undefined;
  /** The tool's input schema as sent; arguments in the upstream's spelling are validated against it. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  /** Whether a call may be sent again after a lost connection: it reads, or its server says that it is idempotent. */
  readonly retryable: boolean;
  /** Upper bound for one call in milliseconds, extended by progress; the upstream's own where not curated. */
  readonly timeoutMs?: number;
  /** Arguments that this operation sets and callers do not see (a grouped tool's method). */
  readonly fixedArguments?: JsonObject | undefined;
  /** The enum parameter whose value chooses the tool's effect, in the upstream's spelling; fixed where the tool is split. */
  readonly groupedBy: string | null;
  /** The question to a person before it runs, with `{param}` for a parameter's value. */
  readonly confirmationMessage?: string | undefined;
  /** The minimum number of seconds between that question and the execution. */
  readonly cooldownSeconds?: number | undefined;
  /** Whether a person has to agree to each call, whatever its danger and the rules. */
  readonly requiresReauth?: boolean | undefined;
  /** Texts for every audit record of it. */
  readonly auditContext?: readonly string[] | undefined;
  /** Parameters in the upstream's spelling whose values are neither recorded nor shown to approvers. */
  readonly sensitive?: readonly string[] | undefined;
  /** The path of the list in its answers, as the operator says; null: there is no list. Absent where the operator says nothing. */
  readonly collection?: readonly string[] | null | undefined;
  /** Field paths by preset name, as the operator says. */
  readonly presets?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Computed fields by name, as written. */
  readonly computed?:
    | Readonly<Record<string, { readonly expression: string; readonly description?: string }>>
    | undefined;
  /** How many seconds a READ's answer may be served again, at least 1; absent where it may not. */
  readonly cacheSeconds?: number | undefined;
  /** Set where its tool is for the page of an app alone (MCP Apps): it can be called, and is not offered to models. */
  readonly appOnly?: true | undefined;
  /** For an UPDATE that the gateway merges; absent where the upstream decides what happens to fields that a caller leaves out. */
  readonly merge?: MergeRule | undefined;
  /** For an operation that only starts a job: in the background it is followed to the job's end. */
  readonly lifecycle?: JobRule | undefined;
  /** Set on an operation of the gateway's own that may take minutes. */
  readonly mayTakeLong?: true;
  /** Set where callers should use another operation. */
  readonly deprecated?: Deprecation | undefined;
  /** Milliseconds from which a call counts as slow; the configured number where absent. */
  readonly slowMs?: number | undefined;
  /**
   * The MCP tool that this call came through, where it is the upstream's own, passed through: arguments and answer then have the
   * upstream's form, and parameters its spelling.
   */
  readonly passthrough?: string;
  /** A family that curation assigns; it takes precedence over the profile. */
  readonly family?: string | undefined;
  /** Set on the gateway's own operations for what is no tool: each call of one that names something is about one upstream. */
  readonly primitive?: Primitive;
  /** Of an operation that follows relationships: which ways, which types as far as they are declared, and how far. */
  readonly relationships?: {
    readonly directions: readonly string[];
    readonly types: readonly string[];
    readonly maxDepth: number;
  };
  /** Set where the operation's published response schema allows no `details` in errors; it says nothing of these queries. */
  readonly bareErrors?: { readonly exceptQueries: readonly string[] };
  /** Request examples; where absent, introspection generates one from the parameters. */
  readonly examples?: readonly { readonly description: string; readonly request: JsonObject }[];
}

/** The five effects an operation can have on state (MCP-AQL specification, section 6.1). */
export const CATEGORIES = ['CREATE', 'READ', 'UPDATE', 'DELETE', 'EXECUTE'] as const;

export type Category = (typeof CATEGORIES)[number];

/** How dangerous an operation can be, from harmless to forbidden (companion document "danger levels"). The order is the severity. */
export const DANGER_LEVELS = ['safe', 'reversible', 'destructive', 'dangerous', 'forbidden'] as const;

export type DangerLevel = (typeof DANGER_LEVELS)[number];

/** How far an upstream is trusted. The order is the trust; a missing level means `untested`. */
export const TRUST_LEVELS = ['untested', 'generated', 'validated', 'community_reviewed', 'certified'] as const;

export type TrustLevel = (typeof TRUST_LEVELS)[number];

/** An account behind a server's connection that cannot write. */
export interface ReadOnlyAccount {
  /** False from the moment at which that is no longer known, before there is a catalog without it. */
  readonly holds: boolean;
  /** Whose word it is, in words. */
  readonly reason: string;
  /** The product, where it has answered itself. */
  readonly product?: SqlDialect | undefined;
  /** The tools through which nothing acts but the account: with the parameter of its statement; null where any text is only looked up. */
  readonly tools: Readonly<Record<string, string | null>>;
}

/** A level, with reasons that an operator can check. */
export interface DangerAssessment {
  readonly level: DangerLevel;
  readonly reasons: readonly string[];
}

/** The products whose SQL can be proven to only read. */
export const SQL_DIALECTS = ['sqlite', 'postgresql', 'mysql', 'mariadb'] as const;

export type SqlDialect = (typeof SQL_DIALECTS)[number];

/** Whether the schema of a database may have functions that take a row of a table, as PostgreSQL calls them by `table.function`. */
export const ROW_FUNCTIONS = ['possible', 'none'] as const;

export type RowFunctions = (typeof ROW_FUNCTIONS)[number];

/** The same; `harmless` where the account may not write, so that nothing of the schema's own writes for it: functions, types, operators. */
export type SchemaCode = RowFunctions | 'harmless';

/** Languages in which a read can be told from everything else. */
export type StatementLanguage = 'sql' | 'graphql';

/** What a tool runs for its callers: a text of one of these languages. */
export interface Statement {
  readonly language: StatementLanguage;
  /** The products that a text may be meant for: all of them where nothing says which. Empty for other languages than SQL. */
  readonly dialects: readonly SqlDialect[];
  /** The parameter that carries it, in the upstream's spelling. */
  readonly parameter: string;
  /** The members inside that parameter which lead to it, through lists; absent where the parameter is the text, or a list of texts. */
  readonly inside?: readonly string[];
  /** Names, in the upstream's spelling, of what may be given beside it without making more of a call. */
  readonly companions: readonly string[];
  /** The operator's word about the schema; `possible` where absent. */
  readonly rowFunctions?: SchemaCode;
  /** Set for the operation that runs nothing else than proven reads. */
  readonly only?: true;
}

/** What a statement that only reads begins with, or why it is not proven to only read. */
export type StatementVerdict =
  | { readonly read: true; readonly kind: string; readonly account?: ReadOnlyAccount }
  | { readonly read: false; readonly why: string };

/** A parameter's path as callers write it: `title`, or `input.title`. */
export function pathOf({ place, name }: Parameter): string {
  return place === 'input' ? `input.${name}` : name;
}

/**
 * What a merging UPDATE sends: `changed` what the caller changes, for tools that leave the rest as it is (PATCH); `whole` also the
 * present value of every other field that the tool takes, for tools that replace the resource (PUT).
 */
type MergeWrites = 'changed' | 'whole';

/** The pattern of every public name (specification, sections 4.3 and 8.5.2). */
export const NAME_PATTERN = /^[a-z][a-z0-9_]*$/;

/** Stands between upstream and operation in a qualified name: `github__create_issue`. */
export const QUALIFIER = '__';

/** An operation's name within its upstream. */
export function localNameOf({ qualifiedName }: Pick<Operation, 'qualifiedName'>): string {
  const end = qualifiedName.indexOf(QUALIFIER);
  return end < 0 ? qualifiedName : qualifiedName.slice(end + QUALIFIER.length);
}

/**
 * The names by which something that restricts (a denial, a quota, an exclusion) reaches the operation: its own, its tool's, and those
 * of what it is a part of, bare and qualified. Who closes a tool has closed every operation that the gateway made of it; what permits
 * reaches by `name` and `qualifiedName` alone.
 */
export function restrictedNames({ name, qualifiedName, upstream, tool, partOf = [] }: Operation): readonly string[] {
  const within = upstream === GATEWAY_SOURCE ? [] : [tool, ...partOf];
  const qualified = within.map((each) => `${upstream}${QUALIFIER}${each}`);
  return [...new Set([name, qualifiedName, localNameOf({ qualifiedName }), ...within, ...qualified])];
}

/**
 * Where an answer comes from that is kept: the operation, and for the gateway's own the upstreams whose things it holds. It is readable
 * as long as all of that is.
 * @param madeOf the origins of what else is in it: of the calls that it has made
 */
export function originOf(
  { qualifiedName, upstream, primitive, sources }: Operation,
  madeOf: readonly string[] = [],
): string {
  const single = primitive === undefined || upstream === GATEWAY_SOURCE ? [] : [upstream];
  return [[qualifiedName, ...(sources ?? single)].join(ORIGIN_MARK), ...madeOf].join(ORIGINS_MARK);
}

/** An origin as that of its operation, and those of what else is in it. */
export function splitOrigin(origin: string): readonly [string, ...string[]] {
  const [own = '', ...madeOf] = origin.split(ORIGINS_MARK);
  return [own, ...madeOf];
}

/** One origin as the qualified name of its operation, and the upstreams. */
export function readOrigin(origin: string): { readonly name: string; readonly upstreams: readonly string[] } {
  const [name = '', ...upstreams] = origin.split(ORIGIN_MARK);
  return { name, upstreams };
}

/** Neither a name of an operation nor a slug has one of these. */
const ORIGIN_MARK = ' ';
const ORIGINS_MARK = '\n';

/** The upstream name of the gateway's own operations; no upstream may use it. */
export const GATEWAY_SOURCE = 'gateway';

/** Names the specification keeps for the protocol (section 8.5.4): an upstream's tool of that name is always qualified. */
export const RESERVED_OPERATIONS: ReadonlySet<string> = new Set([
  'introspect',
  'execute_agent',
  'record_execution_step',
  'complete_execution',
  'abort_execution',
  'confirm_operation',
  'verify_challenge',
]);

/** What a category promises a client; MCP calls the same two flags `readOnlyHint` and `destructiveHint`. */
interface Permissions {
  readonly readOnly: boolean;
  readonly destructive: boolean;
}

/** Specification 6.1, as data. */
export const CATEGORY_PERMISSIONS: Readonly<Record<Category, Permissions>> = {
  CREATE: { readOnly: false, destructive: false },
  READ: { readOnly: true, destructive: false },
  UPDATE: { readOnly: false, destructive: true },
  DELETE: { readOnly: false, destructive: true },
  EXECUTE: { readOnly: false, destructive: true },
};

/** The severity of a level as a number from 0 (safe) to 4 (forbidden). */
export function dangerRank(level: DangerLevel): number {
  return DANGER_LEVELS.indexOf(level);
}

/** The more severe of two levels. */
export function worseDanger(a: DangerLevel, b: DangerLevel): DangerLevel {
  return dangerRank(a) >= dangerRank(b) ? a : b;
}
