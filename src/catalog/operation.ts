import { createHash, randomUUID } from 'node:crypto';
import { canonicalSchemaJson } from '../base/json/canonical-json.js';
import { isJsonObject, type JsonObject, parseJson } from '../base/json/json.js';
import {
  type Category,
  type Classification,
  type DangerAssessment,
  dangerRank,
  GATEWAY_SOURCE,
  localNameOf,
  type Operation,
  type OperationFields,
  type Parameter,
  type ParameterScope,
  type Risk,
  type RiskCondition,
  type RiskValue,
  type Trial,
  Variants,
  variantOf,
} from '../base/protocol/operation.js';
import { findActingValue } from '../classify/acting-values.js';
import { judgeValue, losesByState, selectsEverything, type ValueVerdict } from '../classify/judge-value.js';
import { CATEGORY_SEVERITY } from '../classify/words/lexicon.js';
import { furtherRisks } from './further-risks.js';
import { provenRead, statementVerdict } from './proven-read.js';

/** What one call may do: its operation's category and danger, raised by the risks that its arguments take. */
interface CallDanger {
  readonly category: Category;
  readonly danger: DangerAssessment;
}

/**
 * The operation as a call with these arguments uses it: the same object where they neither take a risk nor only read. What
 * depends on category and danger (policy, confirmation, audit, quotas, repetition, caching) reads them from it. Every risk that the arguments
 * take raises the danger. A READ with a risk is no READ but EXECUTE, because what it does then is no longer only reading. A dry run does none
 * of what its operation destroys.
 *
 * @param args the bound arguments in the upstream's spelling
 */
export function operationOfCall(operation: Operation, args: JsonObject): Operation {
  const { classification, strict } = operation;
  const { deciding, statement } = classification;
  const isSettled = classification.risks === undefined && classification.trial === undefined;
  // Most calls are what their operation is, whatever their arguments.
  if (strict && isSettled && deciding === undefined && statement === undefined) return asCarrying(operation, args);
  const risks = takenRisks(operation, args);
  const trial = isTrial(classification, args);
  const told = asTold(operation, args);
  if (risks.length > 0 || trial) return asUsed(told, risks, trial);
  return (statement === undefined ? undefined : provenRead(operation, args)) ?? asCarrying(told, args);
}

/**
 * The operation as a call uses it that carries what does something where it is run, wherever it lies and whatever it is called. Only what
 * would run unasked and keeps nothing that it is given is looked at: texts that are stored may hold anything.
 */
function asCarrying(operation: Operation, args: JsonObject): Operation {
  if (!mayCarry(operation)) return operation;
  const { scope, fixedArguments = {}, inputSchema, classification } = operation;
  const { sought, statement, unrun } = classification;
  const isKnown = (name: string): boolean => scope.byUpstreamName.has(name) || Object.hasOwn(fixedArguments, name);
  const proven =
    statement !== undefined && statementVerdict(operation, args)?.read === true ? [statement.parameter] : [];
  const handled = [...proven, ...(unrun === true || unrun === undefined ? [] : unrun)];
  const found = findActingValue(
    args,
    { reads: classification.category === 'READ', inputSchema, sought, unrun: handled },
    isKnown,
  );
  return found === undefined ? operation : asUsed(operation, [carrying(found)], false);
}

/** Whether what a call of it carries is looked at: elsewhere it is asked about anyway, or nothing of it runs. */
function mayCarry({ upstream, tool, classification: { category, danger, unrun, account } }: Operation): boolean {
  const isOpen = category === 'READ' || (category === 'EXECUTE' && danger.level === 'reversible');
  const isLookedUp = category === 'READ' && account?.holds === true && account.tools[tool] === null;
  return isOpen && unrun !== true && !isLookedUp && upstream !== GATEWAY_SOURCE;
}

/** The operation as calls use it that carry something that acts; undefined where that makes no other of it. */
export function carryingVariant(operation: Operation): Operation | undefined {
  return mayCarry(operation) ? asUsed(operation, [carrying('that acts')], false) : undefined;
}

const carrying = (what: string): Risk => ({
  path: [],
  when: { present: true },
  danger: 'destructive',
  reason: `an argument ${what}`,
});

/**
 * The operation as a call uses it that says in `deciding` parameters what is done: by the most dangerous of their values. A value that
 * is left out decides nothing. Forbidden and dangerous names stay what they are.
 */
function asTold(operation: Operation, args: JsonObject): Operation {
  const { deciding = [], danger } = operation.classification;
  if (danger.level === 'forbidden' || danger.level === 'dangerous') return operation;
  const given = deciding.filter(({ parameter }) => Object.hasOwn(args, parameter) && args[parameter] !== null);
  const verdicts = given.map((one) => judgeValue(one, args[one.parameter]));
  const worst = verdicts.toSorted((one, other) => severityOf(other) - severityOf(one))[0];
  return worst === undefined ? operation : withVerdict(operation, worst);
}

const severityOf = ({ category, danger }: Pick<ValueVerdict, 'category' | 'danger'>): number =>
  dangerRank(danger) * CATEGORY_SEVERITY.length + CATEGORY_SEVERITY.indexOf(category);

/**
 * The operation that a call of a grouped tool counts as which leaves the choice to the server: the most dangerous of all, and what
 * restricts any of them reaches it.
 */
export function worstOf(parts: readonly Operation[]): Operation | undefined {
  const severity = ({ classification: { category, danger } }: Operation) =>
    severityOf({ category, danger: danger.level });
  const [worst] = parts.toSorted((one, other) => severity(other) - severity(one));
  return worst && { ...worst, partOf: [...(worst.partOf ?? []), ...parts.map(localNameOf)], variants: new Variants() };
}

function withVerdict(operation: Operation, { category, danger, reason }: ValueVerdict): Operation {
  return variantOf(operation, JSON.stringify(['told', category, danger, reason]), () => ({
    cacheSeconds: undefined,
    retryable: category === 'READ',
    classification: { ...operation.classification, category, danger: { level: danger, reasons: [reason] } },
  }));
}

/** The operation as calls use it whose value reads; undefined where no value decides. */
export function toldRead(operation: Operation): Operation | undefined {
  const { deciding = [], danger } = operation.classification;
  const [first] = deciding;
  if (first === undefined || danger.level === 'forbidden' || danger.level === 'dangerous') return undefined;
  return withVerdict(operation, {
    category: 'READ',
    danger: 'safe',
    reason: `the value of '${first.parameter}' reads`,
  });
}

/** The operation as calls use it that take one of its risks, for each of them. */
export function riskyVariants(operation: Operation): readonly Operation[] {
  const told = operation.classification.deciding === undefined ? [] : TOLD.map((one) => withVerdict(operation, one));
  return [...told, ...(operation.classification.risks ?? []).map((risk) => asUsed(operation, [risk], false))];
}

/** The operation as any of its calls may use it: those that take a risk, and those with arguments that it does not describe. */
export function callVariants(operation: Operation): readonly Operation[] {
  const further = operation.strict ? [] : [asUsed(operation, [FURTHER], false)];
  return [...riskyVariants(operation), ...further];
}

/**
 * Whether a call may change something, by what its caller sends, before anything of that is checked.
 * @param params undefined where they are not known yet: whether any call of the operation may
 */
export function mayWrite(operation: Operation, params: JsonObject | undefined): boolean {
  if (params === undefined)
    return [operation, ...callVariants(operation)].some(({ classification }) => classification.category !== 'READ');
  const { input, ...beside } = params;
  const given = isJsonObject(input) ? { ...beside, ...input } : params;
  const inItsWords = ([name, value]: [string, unknown]) =>
    [operation.scope.byName.get(name)?.upstreamName ?? name, value] as const;
  const args = { ...Object.fromEntries(Object.entries(given).map(inItsWords)), ...operation.fixedArguments };
  return operationOfCall(operation, args).classification.category !== 'READ';
}

/**
 * How a call asks what it would do instead of doing it; undefined where nothing is changed, and for a tool's own call. A parameter of that name,
 * described or not, is the server's.
 */
export function dryRunNameOf(operation: Operation): 'dry_run' | '_dry_run' | undefined {
  const { passthrough, scope, strict, upstream } = operation;
  if (passthrough !== undefined || !mayWrite(operation, undefined)) return undefined;
  if (!scope.byName.has('dry_run')) return strict ? 'dry_run' : '_dry_run';
  return upstream === GATEWAY_SOURCE ? undefined : '_dry_run';
}

const FURTHER: Risk = {
  path: [],
  when: { present: true },
  danger: 'destructive',
  reason: 'an argument that is not described',
};

/** What calls of a tool that does whatever it is told may be. */
const TOLD: readonly ValueVerdict[] = [
  { category: 'READ', danger: 'safe', reason: 'its value reads' },
  { category: 'CREATE', danger: 'reversible', reason: 'its value creates' },
  { category: 'UPDATE', danger: 'reversible', reason: 'its value changes' },
  { category: 'DELETE', danger: 'destructive', reason: 'its value removes' },
];

/**
 * The classification with the risks that every call takes, such as that of the file which a tool must be given to write to: they are
 * its danger, and a READ with one is no READ. Without this, lists would promise calls that are never let through.
 */
export function withCertainRisks(classification: Classification, parameters: readonly Parameter[]): Classification {
  const { risks = [], trial, ...rest } = classification;
  const certain = risks.filter((risk) => isCertain(risk, parameters));
  if (certain.length === 0) return classification;
  const left = risks.filter((risk) => !certain.includes(risk));
  const isOnlyShown = certain.every(({ simulated }) => simulated === true);
  return {
    ...rest,
    ...rate(classification, certain, false),
    ...(trial === undefined || !isOnlyShown ? {} : { trial }),
    ...(left.length === 0 ? {} : { risks: left }),
  };
}

function isCertain({ path: [first, ...rest], when }: Risk, parameters: readonly Parameter[]): boolean {
  const parameter = parameters.find(({ upstreamName }) => upstreamName === first);
  return parameter?.required === true && appliesToAll(when, parameter.schema, rest);
}

/** Whether the risk applies to whatever the schema allows at the path. An empty value counts as given: hardly anyone sends it. */
function appliesToAll(when: RiskCondition, schema: unknown, path: readonly string[]): boolean {
  if (!isJsonObject(schema)) return false;
  const [name, ...rest] = path;
  const { required, properties, type } = schema;
  if (name !== undefined) {
    if (!Array.isArray(required) || !required.includes(name) || !isJsonObject(properties)) return false;
    return appliesToAll(when, Object.hasOwn(properties, name) ? properties[name] : undefined, rest);
  }
  const values = Array.isArray(schema['enum'])
    ? schema['enum']
    : Object.hasOwn(schema, 'const')
      ? [schema['const']]
      : [];
  if (values.length > 0) return values.every((value) => applies(when, value));
  return 'present' in when && typeof type === 'string' && type !== 'boolean' && type !== 'null';
}

/** The operation as its dry runs use it; undefined where it has none that lowers its danger. */
export function trialVariant(operation: Operation): Operation | undefined {
  const { danger, trial } = operation.classification;
  return trial === undefined || danger.level !== 'destructive' ? undefined : asUsed(operation, [], true);
}

/** The condition as a caller would write it: `force=true`, `mode=hard|merge`, `items.deleted=true`, `filename`. */
export function riskInWords({ parameters }: Operation, { path, when }: Risk): string {
  const [first = '', ...members] = path;
  const name = parameters.find(({ upstreamName }) => upstreamName === first)?.name ?? first;
  const place = [name, ...members].join('.');
  if ('is' in when)
    return `${place}=${when.is.slice(0, MOST_SHOWN).join('|')}${when.is.length > MOST_SHOWN ? '|…' : ''}`;
  if ('holds' in when) return when.holds.map((member) => `${member} in ${place}`).join(', ');
  if ('begins' in when)
    return `${when.begins.slice(0, MOST_SHOWN).join('|')}${when.begins.length > MOST_SHOWN ? '|…' : ''} in ${place}`;
  if ('loses' in when) return when.loses === 'method' ? `${place} but GET` : `${place} that removes or ends something`;
  if ('selects' in when) return `${place} that leaves nothing out`;
  return 'unless' in when ? `${place} unless ${when.unless.join('|')}` : place;
}

/** More values of one parameter are not written. */
const MOST_SHOWN = 3;

/** What a call is with the switch of a dry run, in the words of `riskInWords`. */
export function trialInWords({ parameters }: Operation, { parameter }: Trial): string {
  const name = parameters.find(({ upstreamName }) => upstreamName === parameter)?.name ?? parameter;
  return `${name}=true`;
}

/** Here doubt counts against the caller: only the boolean itself is a dry run for every server. */
function isTrial({ trial }: Classification, args: JsonObject): boolean {
  return trial !== undefined && Object.hasOwn(args, trial.parameter) && args[trial.parameter] === true;
}

/** The risks that the arguments take, less those that a dry run only shows. */
function takenRisks(operation: Operation, args: JsonObject): readonly Risk[] {
  const { classification, strict } = operation;
  const further = strict ? [] : furtherRisks(operation, args);
  const risks = [...(classification.risks ?? []), ...further];
  const real = isTrial(classification, args) ? risks.filter(({ simulated }) => simulated !== true) : risks;
  return real.filter(({ path, when }) => readValues(args, path).some((value) => applies(when, value)));
}

/**
 * The danger of an operation whose call is a dry run. Forbidden and dangerous names stay what they are, and a change is never
 * safe: nothing but the server's word says that it is only shown.
 */
function dangerOfTrial({ danger, trial }: Classification): DangerAssessment {
  return danger.level === 'destructive' && trial !== undefined
    ? { level: 'reversible', reasons: [trial.reason] }
    : danger;
}

function rate(classification: Classification, risks: readonly Risk[], trial: boolean): CallDanger {
  const { category } = classification;
  const danger = trial ? dangerOfTrial(classification) : classification.danger;
  if (risks.length === 0) return { category, danger };
  const worst = Math.max(dangerRank(danger.level), ...risks.map((risk) => dangerRank(risk.danger)));
  const raising = risks.filter((risk) => dangerRank(risk.danger) === worst);
  const level = raising[0]?.danger ?? danger.level;
  const known = dangerRank(danger.level) === worst ? danger.reasons : [];
  return {
    category: category === 'READ' ? 'EXECUTE' : category,
    danger: { level, reasons: [...new Set([...known, ...raising.map(({ reason }) => reason)])] },
  };
}

/** What writes is neither answered from a cache nor sent again after a lost connection because it "only reads". */
function asUsed(operation: Operation, risks: readonly Risk[], trial: boolean): Operation {
  return variantOf(operation, JSON.stringify(['used', risks, trial]), () => {
    const { category, danger } = rate(operation.classification, risks, trial);
    const escalated = category !== operation.classification.category;
    return {
      cacheSeconds: escalated ? undefined : operation.cacheSeconds,
      retryable: escalated ? false : operation.retryable,
      classification: { ...operation.classification, category, danger },
    };
  });
}

/** Represents a value that cannot be read: a member of an object that was sent as text. */
const OPAQUE = Symbol('opaque');

/** The values at a path through every list on the way, own members only; `undefined` where there is none. */
function readValues(value: unknown, path: readonly string[]): readonly unknown[] {
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  if (Array.isArray(value)) return value.flatMap((element) => readValues(element, path));
  if (isJsonObject(value)) return [Object.hasOwn(value, name) ? readValues(value[name], rest) : undefined].flat();
  return typeof value === 'string' && value.trim() !== '' ? readText(value, path) : [undefined];
}

/** Some servers parse a text where they expect an object. What is no JSON to us may be something else to them. */
function readText(text: string, path: readonly string[]): readonly unknown[] {
  const parsed = parseJson(text);
  return typeof parsed === 'object' && parsed !== null ? readValues(parsed, path) : [OPAQUE];
}

/** Doubt counts: where a server could take a value for the one that is asked for, the risk applies. */
function applies(when: RiskCondition, value: unknown): boolean {
  if (value === OPAQUE) return true;
  if ('unless' in when) return value === undefined || !when.unless.includes(value as RiskValue);
  if (value === undefined) return false;
  if ('present' in when) return isGiven(value);
  if ('holds' in when) return holdsMember(value, new Set(when.holds));
  if ('begins' in when) return someWordBegins(value, when.begins);
  if ('selects' in when) return selectsEverything(value, when.whenEmpty);
  if (Array.isArray(value)) return value.some((element) => applies(when, element));
  if ('loses' in when) return typeof value === 'string' && losesByText(when, value);
  if (typeof value === 'string' && /^\s*[[{"]/.test(value)) return appliesToText(when, value);
  return when.is.some((expected) => mayMean(value, expected));
}

function losesByText({ loses, listed }: Extract<RiskCondition, { loses: unknown }>, value: string): boolean {
  if (loses === 'state') return losesByState(value, listed);
  return !/^\s*(?:get|head|options)\s*$/i.test(value);
}

/** A list or a text that was itself written as JSON text. */
function appliesToText(when: RiskCondition, text: string): boolean {
  const parsed = parseJson(text);
  return parsed === undefined || applies(when, parsed);
}

function isGiven(value: unknown): boolean {
  if (value === null || value === false || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isJsonObject(value) || Object.keys(value).length > 0;
}

const YES = /^(?:true|1|yes|y|on|t|force|always)$/;
const NO = /^(?:false|0|no|n|off|f|none|never|null)$/;

/** Whether a server that converts values may take one for the other. */
function mayMean(value: unknown, expected: RiskValue): boolean {
  const text = String(value).trim().toLowerCase();
  if (expected === true) return YES.test(text) || (typeof value === 'number' && value !== 0);
  if (expected === false) return NO.test(text);
  return text === String(expected).trim().toLowerCase();
}

/** Looks through everything without recursion, because callers decide the depth. */
function holdsMember(value: unknown, names: ReadonlySet<string>): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string' && /^\s*[[{"]/.test(next)) {
      const parsed = parseJson(next);
      if (parsed === undefined) return true;
      open.push(parsed);
    } else if (Array.isArray(next)) for (const element of next) open.push(element);
    else if (isJsonObject(next)) {
      const keys = Object.keys(next);
      if (keys.some((key) => names.has(key))) return true;
      for (const key of keys) open.push(next[key]);
    }
  }
  return false;
}

/** Looks through everything without recursion, also through JSON text. Quotes, brackets and commas end a word too. */
function someWordBegins(value: unknown, beginnings: readonly string[]): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) for (const element of next) open.push(element);
    else if (isJsonObject(next)) for (const [key, member] of Object.entries(next)) open.push(key, member);
    else if (typeof next === 'string') {
      const parsed = /^\s*[[{"]/.test(next) ? parseJson(next) : undefined;
      if (parsed !== undefined) open.push(parsed);
      const words = next.split(/[\s'"`,;[\]{}()]+/);
      if (words.some((word) => beginnings.some((beginning) => word.startsWith(beginning)))) return true;
    }
  }
  return false;
}

/** Makes an operation of its fields. What is derived from them is derived once, at its first use. */
export function finishOperation(fields: OperationFields): Operation {
  let scope: ParameterScope | undefined;
  let definition: string | undefined;
  return {
    ...fields,
    get scope() {
      scope ??= createScope(fields.parameters);
      return scope;
    },
    get definition() {
      definition ??= digestDefinition(fields);
      return definition;
    },
    variants: new Variants(),
  };
}

/** Whether both operations do the same in the same way: what was checked and agreed to for one holds for the other. */
export function isSameDefinition(one: Operation, other: Operation): boolean {
  return one === other || one.definition === other.definition;
}

function createScope(parameters: readonly Parameter[]): ParameterScope {
  const byUpstreamName = new Map(parameters.map((parameter) => [parameter.upstreamName, parameter]));
  return {
    // Canonical names last: where one parameter's spelling is another's canonical name, the canonical one has it.
    byName: new Map([...byUpstreamName, ...parameters.map((parameter) => [parameter.name, parameter] as const)]),
    byUpstreamName,
    canonical: new Set(parameters.map((parameter) => parameter.name)),
    required: parameters.filter((parameter) => parameter.required),
    hasInput: parameters.some((parameter) => parameter.place === 'input'),
  };
}

function digestDefinition(fields: OperationFields): string {
  const { qualifiedName, tool, description, inputSchema, outputSchema, fixedArguments, classification } = fields;
  const { category, danger, risks, trial, statement, deciding, account } = classification;
  const own = [qualifiedName, tool, description, inputSchema, outputSchema, fixedArguments, account?.reason];
  try {
    const text = canonicalSchemaJson([...own, category, danger.level, risks, trial, statement, deciding]);
    return createHash('sha256').update(text).digest('base64url');
  } catch {
    // A definition that is nested too deeply to be written is the same as no other.
    return randomUUID();
  }
}
