import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { valueAt } from '../lib/json-path.js';
import { replaceFile } from '../lib/replace-file.js';
import { isJsonObject, type JsonObject } from '../protocol/json.js';
import { ConfigError, type ConfigProblem, createReport } from './diagnostics.js';
import { editJsonc, type JsoncEdit } from './edit-jsonc.js';
import { type LoadOptions, loadConfig, locateConfig } from './load-config.js';
import { parseJsonc } from './parse-jsonc.js';
import { readDocumentsIn } from './read-document.js';
import { listServers, readServer, toSlug } from './server-definition.js';

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
  const blocks = [['mcpServers'], ['servers'], ['mcp', 'servers']];
  return blocks.find((block) => isJsonObject(valueAt(document, block))) ?? ['mcpServers'];
}

/** A file of the configuration as it is, and as it would be. */
export interface FileChange {
  readonly file: string;
  readonly before: string;
  readonly after: string;
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
