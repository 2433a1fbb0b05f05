import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { type ConfigReport, openNotes } from './config-report.js';
import { JsoncSyntaxError, parseJsonc } from './parse-jsonc.js';
import { faultCode } from './secret-file.js';

/** A document as it was read: nothing in it has been looked at. */
export interface RawDocument {
  /** The file as the operator knows it. */
  readonly source: string;
  /** The file's name without `.json`. */
  readonly stem: string;
  readonly document: unknown;
}

/** Reads a JSON or JSONC file. What is wrong goes into the report, and the document is then empty. */
export async function readDocument(file: string, cwd: string, report: ConfigReport): Promise<RawDocument> {
  const source = nameFile(file, cwd);
  return { source, stem: basename(file, '.json'), document: await readJson(file, source, report) };
}

async function readJson(file: string, source: string, report: ConfigReport): Promise<unknown> {
  const notes = openNotes(report, source);
  try {
    const { value, duplicates } = parseJsonc(await readFile(file, 'utf8'));
    for (const path of duplicates)
      notes.problem(path, 'the key stands twice; only one can count', 'rename or remove one');
    return value;
  } catch (cause) {
    if (cause instanceof JsoncSyntaxError) {
      const path = `line ${cause.line}, column ${cause.column}`;
      report.problems.push({ file: source, path, message: cause.message });
    } else if (faultCode(cause) === 'ENOENT') {
      notes.problem([], 'there is no such file', "write one with 'mcp-aql-gateway init'");
    } else {
      notes.problem([], `the file cannot be read (${faultCode(cause)})`);
    }
    return {};
  }
}

/** Reads every `*.json` of a folder, by name. Undefined when there is no such folder. */
export async function readDocumentsIn(
  directory: string,
  cwd: string,
  report: ConfigReport,
): Promise<readonly RawDocument[] | undefined> {
  const names = await readdir(directory).catch(() => undefined);
  const files = names?.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
  return files && Promise.all(files.map((name) => readDocument(join(directory, name), cwd, report)));
}

/** Relative where that is shorter to read. */
function nameFile(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path === '' || path.startsWith('..') ? file : path;
}
