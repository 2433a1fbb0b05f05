import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { isJsonObject, type JsonObject } from '../../base/json/json.js';
import { replaceFile } from '../../base/lib/replace-file.js';
import { editJsonc } from '../../config/edit/edit-config.js';
import type { Machine, McpClient } from './client-table.js';
import { readClientFile } from './read-client-file.js';
import { editTomlServer } from './toml-servers.js';

/** What is done to a client's file. */
export interface ClientEdit {
  readonly file: string;
  readonly before: string | undefined;
  /** Undefined removes the file. */
  readonly after: string | undefined;
}

/** The change that gives a client the gateway under a name, or takes it away. @param entry undefined takes it away */
export async function planClientEdit(
  client: McpClient,
  machine: Machine,
  name: string,
  entry: JsonObject | undefined,
): Promise<ClientEdit> {
  const [file = ''] = client.files(machine);
  const [block = []] = client.blocks(machine);
  const before = await readClientFile(file);
  if (before === undefined && entry === undefined) return { file, before, after: before };
  const text = before ?? '';
  const after =
    client.format === 'toml'
      ? editTomlServer(text, name, entry)
      : editJsonc(text, [{ path: [...block, name], value: entry }]);
  return { file, before, after };
}

/** The change that puts back what was before the last one. @throws Error where there is none, or the file has changed since */
export async function planUndo(client: McpClient, machine: Machine): Promise<ClientEdit> {
  const [file = ''] = client.files(machine);
  const backup = await readBackup(file);
  if (backup === undefined) throw new Error(`there is no change of ${file} to undo`);
  const before = await readClientFile(file);
  if (digest(before) !== backup.written) {
    throw new Error(`${file} has changed since; 'disconnect' takes the gateway out of it and leaves the rest`);
  }
  return { file, before, after: backup.content ?? undefined };
}

/** Writes the change, with a backup of what was there beside the file. */
export async function applyClientEdit({ file, before, after }: ClientEdit): Promise<void> {
  const backup: Backup = { content: before ?? null, written: digest(after) };
  await replaceFile(backupOf(file), `${JSON.stringify(backup)}\n`);
  if (after === undefined) await rm(file, { force: true });
  else await replaceFile(file, after);
}

/** Writes what was there before, and forgets the backup. */
export async function applyUndo({ file, after }: ClientEdit): Promise<void> {
  if (after === undefined) await rm(file, { force: true });
  else await replaceFile(file, after);
  await rm(backupOf(file), { force: true });
}

/** Where what was there before is kept. */
export function backupOf(file: string): string {
  return `${file}.before-mcp-aql`;
}

interface Backup {
  /** Null where there was no file. */
  readonly content: string | null;
  /** The digest of what was written: whatever has changed since must not be lost. */
  readonly written: string;
}

async function readBackup(file: string): Promise<Backup | undefined> {
  const text = await readClientFile(backupOf(file));
  if (text === undefined) return undefined;
  const read: unknown = JSON.parse(text);
  if (!isJsonObject(read) || typeof read['written'] !== 'string') return undefined;
  const { content, written } = read;
  return { content: typeof content === 'string' ? content : null, written };
}

function digest(text: string | undefined): string {
  return createHash('sha256')
    .update(text ?? '\0')
    .digest('hex');
}
