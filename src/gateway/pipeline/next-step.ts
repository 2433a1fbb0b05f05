import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { dangerRank, localNameOf, type Operation, type Parameter } from '../../base/protocol/operation.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import { findRefusedParameters } from '../../base/protocol/refused-arguments.js';
import type { Snapshot } from './snapshot.js';

/** What of a snapshot the next step depends on. */
type Surroundings = Pick<Snapshot, 'catalog' | 'isCallable' | 'plan'>;

/**
 * An upstream's failure with what the caller can do next, where that is clear: the parameters that are wrong as callers write
 * them, or the operation that creates what does not exist.
 */
export function withNextStep(error: OperationError, operation: Operation, snapshot: Surroundings): OperationError {
  const words = wordsOf(error.details);
  if (words === undefined) return error;
  if (error.code === 'NOT_FOUND_RESOURCE') {
    const creators = findCreators(operation, words, snapshot);
    return creators.length > 0
      ? withCreators(error, creators, snapshot)
      : withMakers(error, findMakers(operation, words, snapshot), snapshot);
  }
  if (error.code.startsWith('VALIDATION_')) return withParameters(error, findRefusedParameters(words, operation));
  return error;
}

function wordsOf({ upstream_error: said }: JsonObject): string | undefined {
  if (typeof said === 'string') return said;
  return isJsonObject(said) && typeof said['text'] === 'string' ? said['text'] : undefined;
}

function extended({ code, message, details, cause }: OperationError, words: string, more: JsonObject): OperationError {
  return new OperationError(code, `${message}${words}`, { ...details, ...more }, { cause });
}

function withParameters(error: OperationError, names: readonly string[]): OperationError {
  const [only] = names;
  if (only === undefined || error.details['param_name'] !== undefined) return error;
  // The upstream may have named them in its own spelling.
  const unsaid = names.filter((name) => !error.message.includes(name));
  const words = unsaid.length === 0 ? '' : `. See ${unsaid.map((name) => `'${name}'`).join(', ')}`;
  return extended(error, words, names.length === 1 ? { param_name: only } : { param_names: names });
}

/** An operation that creates what another did not find. */
interface Creator {
  readonly operation: Operation;
  /** Whether the caller says with the same parameter which one it creates. */
  readonly isSame: boolean;
}

function withCreators(error: OperationError, creators: readonly Creator[], { plan }: Surroundings): OperationError {
  if (creators.length === 0) return error;
  const named = creators.map(({ operation, isSame }) => {
    const isHarmful = dangerOf(operation) >= dangerRank('destructive');
    return `'${operation.name}' creates ${isSame ? 'it' : 'one'}${isHarmful ? ' (destructive: it may overwrite)' : ''}`;
  });
  return extended(error, `. If it does not exist yet, ${named.join(', or ')}`, {
    created_by: creators.map(({ operation }) => ({ operation: operation.name, tool: plan.toolFor(operation) })),
  });
}

/** Another upstream may see other files, so that nothing is said of this one. */
function withMakers(error: OperationError, makers: readonly Operation[], { plan }: Surroundings): OperationError {
  if (makers.length === 0) return error;
  const named = makers.map(({ name, upstream }) => `'${name}' of '${upstream}'`);
  return extended(error, `. If it does not exist yet: ${named.join(' and ')} can make such files`, {
    created_by: makers.map((operation) => ({ operation: operation.name, tool: plan.toolFor(operation) })),
  });
}

const MOST_CREATORS = 2;
const CREATES = /^(?:create|write|rewrite|new|init|add)_/;
/** Those that make a file of what they are given; `add` puts an existing one somewhere, and `init` makes more than a file. */
const MAKES_FILE = /^(?:create|write|rewrite|new)_/;
const PATH = /(?:^|_)(?:path|file_?path|file|file_?name)$/;
const CONTENT = /(?:^|_)(?:content|contents|text|data|body|markdown)$/;
const FOLDER = /(?:^|_)(?:dir|directory|directories|folder|folders)(?:_|$)/;
/** Made with a path, and not what another operation reads from there. */
const OTHER_THING = /(?:^|_)(?:link|symlink|backup|snapshot|index|branch|archive|repository|repo|project)(?:_|$)/;

/** What is missing is no thing that the call is about: a program, a host, who calls. */
const MISSING_ELSE =
  /\b(command|module|executable|binary|program|host|tool|method|credential|token|user|account|session|route|endpoint|driver|package|column|parent)s? (?:was |were |is )?not found\b|\b(?:no such|unknown) (command|module|executable|program|host|tool|method|column|option)\b/i;

/** At most two operations of the same upstream that create what this one did not find; none where that is a guess. */
function findCreators(operation: Operation, words: string, { catalog, isCallable }: Surroundings): readonly Creator[] {
  const { category } = operation.classification;
  if (category === 'DELETE' || category === 'EXECUTE' || missesElse(operation, words)) return [];
  const needsFolder = isFileMaker(operation) || saysFolder(words) || FOLDER.test(nameOf(operation));
  const found = catalog.operations.flatMap((each): readonly Creator[] => {
    if (each === operation || each.upstream !== operation.upstream || !mayCreate(each)) return [];
    if (isFileMaker(each) && pathsOf(operation).length === 1) {
      const isMeant = FOLDER.test(nameOf(each)) === needsFolder && !OTHER_THING.test(nameOf(each));
      return isMeant ? [{ operation: each, isSame: true }] : [];
    }
    if (CREATES.test(nameOf(operation)) || nounOf(each) !== nounOf(operation)) return [];
    return [{ operation: each, isSame: sharesIdentifier(each, operation) }];
  });
  return found
    .filter((creator) => isCallable(creator.operation))
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .slice(0, MOST_CREATORS);
}

/** The end of a path's last name. */
const EXTENSION = /[\\/][^\\/\s'":]{0,200}\.([a-z][a-z0-9]{1,5})(?![\w.\\/])/i;

/**
 * At most two operations of other upstreams that make files of the format that is missing: a server that reads and changes workbooks
 * may make none. Their descriptions name the format by its extension.
 */
function findMakers(operation: Operation, words: string, { catalog, isCallable }: Surroundings): readonly Operation[] {
  const [, extension] = EXTENSION.exec(words) ?? [];
  const { category } = operation.classification;
  const isAbout = category !== 'DELETE' && category !== 'EXECUTE' && pathsOf(operation).length === 1;
  if (extension === undefined || !isAbout || missesElse(operation, words)) return [];
  const named = new RegExp(`(?<![\\w/])\\.${extension}\\b`, 'i');
  return catalog.operations
    .filter((each) => each.upstream !== operation.upstream && mayCreate(each) && isFileMaker(each))
    .filter((each) => named.test(each.description.slice(0, MOST_READ)) && isCallable(each))
    .toSorted((a, b) => dangerOf(a) - dangerOf(b))
    .slice(0, MOST_CREATORS);
}

/** Characters of a description. */
const MOST_READ = 10_000;

function dangerOf({ classification }: Operation): number {
  return dangerRank(classification.danger.level);
}

function missesElse(operation: Operation, words: string): boolean {
  const [, found, named] = MISSING_ELSE.exec(words) ?? [];
  const missing = found ?? named;
  return missing !== undefined && !nounOf(operation).includes(missing.toLowerCase());
}

/** What creates the very thing stands before what creates another one, and what is harmless first. */
function rankOf({ operation, isSame }: Creator): number {
  return dangerOf(operation) + (isSame ? 0 : 10);
}

function mayCreate(operation: Operation): boolean {
  const { category } = operation.classification;
  const isMild = dangerOf(operation) <= dangerRank('destructive');
  const isMaking = category === 'CREATE' || category === 'UPDATE';
  return isMaking && isMild && operation.deprecated === undefined && CREATES.test(nameOf(operation));
}

/** Whether it makes a file, or a folder, of a path and at most its content. What needs more works on a file that exists. */
function isFileMaker(operation: Operation): boolean {
  const others = operation.parameters.filter(
    ({ required, name }) => required && !PATH.test(name) && !CONTENT.test(name),
  );
  return MAKES_FILE.test(nameOf(operation)) && pathsOf(operation).length === 1 && others.length === 0;
}

function pathsOf({ parameters }: Operation): readonly Parameter[] {
  return parameters.filter(({ required, name }) => required && PATH.test(name));
}

/** "No such file or directory" is said of both. */
function saysFolder(words: string): boolean {
  return /\b(?:parent )?(?:directory|folder)\b/i.test(words.replace(/no such file or directory/gi, ''));
}

function sharesIdentifier(creator: Operation, { parameters }: Operation): boolean {
  const identifying = parameters.filter(({ required, place }) => required && place === 'params');
  const names = new Set(creator.parameters.map(({ name }) => name));
  return identifying.length > 0 && identifying.every(({ name }) => names.has(name));
}

/** The name without its upstream's, which servers put before all of theirs: `excel_create_workbook`. */
function nameOf(operation: Operation): string {
  const local = localNameOf(operation);
  const prefix = `${operation.upstream}_`;
  return local.startsWith(prefix) ? local.slice(prefix.length) : local;
}

/** `get_notes` and `create_note` are about the same. */
function nounOf(operation: Operation): string {
  const name = nameOf(operation);
  const noun = name.slice(name.indexOf('_') + 1);
  return noun.replace(/([^s])s$/, '$1');
}
