import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { faultCode } from '../../base/lib/fault-code.js';
import { type ConfigReport, type Diagnostics, openDiagnostics } from './diagnostics.js';
import { JsoncSyntaxError, parseJsonc } from './parse-jsonc.js';

/** A document as it was read, before validation. */
interface RawDocument {
  /** The file as the operator knows it. */
  readonly source: string;
  /** The file's name without `.json`. */
  readonly stem: string;
  readonly document: unknown;
}

/** Texts that stand for those of files that have not been written yet, by path. */
export type Drafts = ReadonlyMap<string, string>;

const NO_DRAFTS: Drafts = new Map();

/** Reads a JSON or JSONC file. What is wrong goes into the report, and the document is then empty. */
export async function readDocument(
  file: string,
  cwd: string,
  report: ConfigReport,
  drafts = NO_DRAFTS,
): Promise<RawDocument> {
  const source = nameFile(file, cwd);
  return { source, stem: basename(file, '.json'), document: await readJson(file, source, report, drafts.get(file)) };
}

async function readJson(
  file: string,
  source: string,
  report: ConfigReport,
  draft: string | undefined,
): Promise<unknown> {
  const diagnostics = openDiagnostics(report, source);
  try {
    if (draft !== undefined) return readText(draft, diagnostics);
    const { fault, isOpen } = await inspect(file);
    if (fault !== undefined) {
      diagnostics.problem([], fault);
      return {};
    }
    if (isOpen) diagnostics.warning([], 'every user of this machine may write it, and so run commands: chmod o-w');
    const bytes = await readFile(file);
    if (bytes.length > 1 && UTF16.has(bytes.readUInt16BE())) {
      diagnostics.problem([], 'the file is UTF-16, as some shells and editors of Windows write', 'save it as UTF-8');
      return {};
    }
    return readText(bytes.toString('utf8'), diagnostics);
  } catch (cause) {
    if (cause instanceof JsoncSyntaxError) {
      const path = `line ${cause.line}, column ${cause.column}`;
      report.problems.push({ file: source, path, message: cause.message });
    } else if (faultCode(cause) === 'ENOENT') {
      diagnostics.problem([], 'there is no such file', "write one with 'mcp-aql-gateway init'");
    } else {
      diagnostics.problem([], `the file cannot be read (${faultCode(cause)})`);
    }
    return {};
  }
}

/** What files in UTF-16 begin with, in either order of bytes. */
const UTF16: ReadonlySet<number> = new Set([0xfeff, 0xfffe]);

function readText(text: string, diagnostics: Diagnostics): unknown {
  const { value, duplicates } = parseJsonc(text);
  for (const path of duplicates)
    diagnostics.problem(path, 'the key is given twice; only one can count', 'rename or remove one');
  return value;
}

/** A longer file is no configuration, and reading it could take all memory. */
const MAX_BYTES = 1_048_576;

/** Looks at a file before it is read: a pipe or a device might never end. @throws where there is none */
async function inspect(file: string): Promise<{ readonly fault?: string; readonly isOpen: boolean }> {
  const status = await stat(file);
  const isOpen = (status.mode & 0o002) !== 0 && process.platform !== 'win32';
  if (!status.isFile()) return { fault: 'expected a regular file', isOpen };
  if (status.size > MAX_BYTES) return { fault: `the file is larger than ${MAX_BYTES} bytes`, isOpen };
  return { isOpen };
}

/** Reads every `*.json` of a folder, by name. Undefined when there is no such folder. */
export async function readDocumentsIn(
  directory: string,
  cwd: string,
  report: ConfigReport,
  drafts = NO_DRAFTS,
): Promise<readonly RawDocument[] | undefined> {
  const names = await readdir(directory).catch(() => undefined);
  const files = names?.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
  return files && Promise.all(files.map((name) => readDocument(join(directory, name), cwd, report, drafts)));
}

/** The path for messages: relative where the file is below the working directory. */
function nameFile(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path === '' || path.startsWith('..') ? file : path;
}
