import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import jsonc, { type FormattingOptions } from 'jsonc-parser';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { type JsonPath, valueAt } from '../../base/json/json-path.js';
import { replaceFile } from '../../base/lib/replace-file.js';
import { ConfigError, type ConfigProblem, createReport } from '../load/diagnostics.js';
import { type LoadOptions, loadConfig, locateConfig } from '../load/load-config.js';
import { parseJsonc } from '../load/parse-jsonc.js';
import { readDocumentsIn } from '../load/read-document.js';
import { BLOCKS, listServers, readServer, toSlug } from '../load/server-definition.js';

/** Where a server is defined or curated. */
export interface ServerPlace {
  readonly name: string;
  readonly slug: string;
  readonly file: string;
  /** Empty where the whole file is about the server. */
  readonly path: readonly (string | number)[];
  readonly entry: JsonObject;
}

/** The files that commands change. Nothing is interpolated, so that references stay references. */
export interface EditableConfig {
  /** The main file, which need not exist yet. */
  readonly file: string;
  readonly text: string;
  /** In the order of precedence, lowest first. */
  readonly servers: readonly ServerPlace[];
}

/** A file of the configuration as it is, and as it would be. */
export interface FileChange {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** Sets the value at a path; `undefined` removes it. */
export interface JsoncEdit {
  readonly path: JsonPath;
  readonly value: unknown;
}

/** Reads what a command is to change. The configuration that ships with the package is never changed: a file here is. */
export async function openEditableConfig(options: LoadOptions): Promise<EditableConfig> {
  const located = locateConfig(options);
  const isOwn = located.file !== null && located.directory === located.dataRoot;
  const file = isOwn && located.file !== null ? located.file : join(options.cwd, 'gateway.config.json');
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return '';
    throw cause;
  });
  const document = text.trim() === '' ? {} : parseJsonc(text).value;
  const folder = valueAt(document, ['upstreamsDir']);
  const directory = resolve(dirname(file), typeof folder === 'string' ? folder : 'upstreams');
  const others = (await readDocumentsIn(directory, options.cwd, createReport())) ?? [];
  const inMain = listServers(document).map(({ name, slug, path, entry }) => ({
    name,
    slug,
    file,
    path,
    entry: isJsonObject(entry) ? entry : {},
  }));
  const inFiles = others.map(({ stem, document: own }) => ({
    ...readServer(own, stem),
    file: join(directory, `${stem}.json`),
    entry: isJsonObject(own) ? own : {},
  }));
  return { file, text, servers: [...inMain, ...inFiles] };
}

/** The places that are about a server, by its name in any spelling. */
export function placesOf({ servers }: EditableConfig, name: string): readonly ServerPlace[] {
  const slug = toSlug(name);
  return servers.filter((server) => server.slug === slug);
}

/** The block of the main file that new servers go into: the one that it has already. */
export function blockForServers({ text }: EditableConfig): readonly string[] {
  const document = text.trim() === '' ? {} : parseJsonc(text).value;
  return BLOCKS.find((block) => isJsonObject(valueAt(document, block))) ?? ['mcpServers'];
}

/**
 * Changes the main file, if the configuration has no problem afterwards that it has not now. Resolves with the new text.
 * @throws ConfigError with the new problems; nothing is written then
 */
export async function changeMainFile(
  { file, text }: Pick<EditableConfig, 'file' | 'text'>,
  edits: readonly JsoncEdit[],
  options: LoadOptions & { readonly isDryRun?: boolean },
): Promise<string> {
  const change = { file, before: text, after: editJsonc(text, edits) };
  await writeChange(change, { ...options, file });
  return change.after;
}

/**
 * Changes one file of the configuration, if that has no problem afterwards that it has not now.
 * @param options with the main file
 * @throws ConfigError with the new problems; nothing is written then
 */
export async function writeChange(
  { file, before, after }: FileChange,
  options: LoadOptions & { readonly isDryRun?: boolean },
): Promise<void> {
  if (after === before) return;
  const known = new Set((await listProblems(options)).map(keyOf));
  const problems = await listProblems({ ...options, drafts: new Map([[file, after]]) });
  const added = problems.filter((problem) => !known.has(keyOf(problem)));
  if (added.length > 0) throw new ConfigError(added);
  if (options.isDryRun !== true) await replaceFile(file, after);
}

/** A file that is missing has no problems yet. */
async function listProblems(options: LoadOptions): Promise<readonly ConfigProblem[]> {
  try {
    await loadConfig({ ...options, tolerant: false });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

function keyOf({ file, path, message }: ConfigProblem): string {
  return `${file}\0${path}\0${message}`;
}

/**
 * Changes values of a JSONC text and leaves the rest as it is written: comments, order, indentation and line ends.
 * @throws JsoncSyntaxError where the text cannot be read, and Error where a value has no place in what it holds
 */
export function editJsonc(text: string, edits: readonly JsoncEdit[]): string {
  const start = text.trim() === '' ? '{}\n' : text;
  const { value: document, duplicates } = parseJsonc(start);
  for (const { path } of edits) refuseUnclear(path, document, duplicates);
  const formattingOptions = formattingOf(start);
  // The editor fails where what is to be removed is not there.
  const needed = edits.filter(({ path, value }) => value !== undefined || valueAt(document, path) !== undefined);
  if (needed.length === 0) return text;
  return needed.reduce(
    (current, { path, value }) =>
      jsonc.applyEdits(current, jsonc.modify(current, [...path], value, { formattingOptions })),
    start,
  );
}

/** Programs read the last of two values with one key, and the change would be made in the first. */
function refuseUnclear(path: JsonPath, document: unknown, duplicates: readonly JsonPath[]): void {
  const twice = duplicates.find((each) => each.every((step, index) => step === path[index]));
  if (twice !== undefined) throw new Error(`'${twice.join('.')}' is in it twice; leave one of them`);
  for (let depth = 0; depth < path.length; depth += 1) {
    const parent = valueAt(document, path.slice(0, depth));
    const isFit = Array.isArray(parent)
      ? typeof path[depth] === 'number'
      : typeof parent === 'object' && parent !== null;
    if (parent === undefined || isFit) continue;
    throw new Error(`${depth === 0 ? 'its content' : `'${path.slice(0, depth).join('.')}'`} is not an object`);
  }
}

function formattingOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
