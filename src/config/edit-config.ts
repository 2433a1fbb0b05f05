import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
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

/**
 * Changes the main file, if the configuration has no problem afterwards that it has not now. Resolves with the new text.
 * @throws ConfigError with the new problems; nothing is written then
 */
export async function changeMainFile(
  { file, text }: Pick<EditableConfig, 'file' | 'text'>,
  edits: readonly JsoncEdit[],
  options: LoadOptions & { readonly isDryRun?: boolean },
): Promise<string> {
  const next = editJsonc(text, edits);
  if (next === text) return next;
  const before = new Set((await listProblems({ ...options, file })).map(keyOf));
  const draft = join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`);
  await writeFile(draft, next, { mode: 0o600 });
  try {
    const problems = await listProblems({ ...options, file: draft });
    const added = problems
      .map((problem) => (problem.file.endsWith(basename(draft)) ? { ...problem, file: basename(file) } : problem))
      .filter((problem) => !before.has(keyOf(problem)));
    if (added.length > 0) throw new ConfigError(added);
  } finally {
    await rm(draft, { force: true });
  }
  if (options.isDryRun !== true) await replaceFile(file, next);
  return next;
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

/** The same fault, whichever file holds it: a draft has another name. */
function keyOf({ path, message }: ConfigProblem): string {
  return `${path}\0${message}`;
}
