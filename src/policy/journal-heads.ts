import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { faultCode } from '../base/lib/fault-code.js';
import type { GatewayConfig, StoreConfig } from '../config/gateway-config.js';
import { openStore } from '../store/open-store.js';
import { type StateStore, type StoredRecord, StoreError } from '../store/state-store.js';
import { identifyTrail } from './audit/arguments-digest.js';
import type { JournalHeads } from './audit/audit-trail.js';
import { type JournalMark, readMarks } from './audit/journal/line.js';

const DAY_MS = 86_400_000;
/** A journal covers a day at most, and is removed within another after its retention. */
const SLACK_DAYS = 2;
/** Where journals are kept for good. */
const A_CENTURY_DAYS = 36_500;

/** The file that identifies the audit trail and keys its digests. */
export function auditKeyFile(dataDir: string): string {
  return join(dataDir, 'audit.key');
}

/**
 * Keeps the ends of the journals in the state store. Gateways on other machines may share it, so each record names the trail that
 * it belongs to.
 */
export function keepHeads(
  store: StateStore,
  { audit, dataDir }: Pick<GatewayConfig, 'audit' | 'dataDir'>,
): JournalHeads {
  let trail: string | undefined;
  const keyOf = (file: string): string => {
    trail ??= identifyTrail(auditKeyFile(dataDir), { create: true });
    return headKey(trail, file);
  };
  return {
    async keep({ file, seq, hash }) {
      const key = keyOf(file);
      const head = { file, seq, hash };
      const days = audit.retentionDays === 0 ? A_CENTURY_DAYS : audit.retentionDays + SLACK_DAYS;
      if (await store.insert('journal', key, head, { expiresAt: Date.now() + days * DAY_MS })) return;
      const kept = await store.get('journal', key);
      if (kept !== undefined) await store.replace('journal', key, kept.version, head);
    },
    async forget(files) {
      for (const file of files) await store.remove('journal', keyOf(file));
    },
  };
}

/** The ends of the journals as the store has them; `problem` says why it could not be asked. */
export interface KeptHeads {
  readonly heads: readonly JournalMark[];
  readonly problem?: string;
}

/** Reads the ends of a trail's journals. For a command: makes neither a store nor a key. */
export async function readHeads({ audit, dataDir, store: config }: GatewayConfig): Promise<KeptHeads> {
  if (!audit.enabled || config.type === 'memory') return { heads: [] };
  if (config.type === 'sqlite' && !existsSync(config.file)) return { heads: [], problem: 'there is no such file' };
  const keyFile = auditKeyFile(dataDir);
  try {
    const trail = identifyTrail(keyFile, { create: false });
    const records = await listHeads(config);
    return { heads: marksOf(records, headKey(trail, '')) };
  } catch (cause) {
    const problem = cause instanceof StoreError ? cause.message : `'${keyFile}' cannot be read (${faultCode(cause)})`;
    return { heads: [], problem };
  }
}

async function listHeads(config: StoreConfig): Promise<readonly StoredRecord[]> {
  const store = await openStore(config);
  try {
    return await store.list('journal');
  } finally {
    await store.close();
  }
}

function marksOf(records: readonly StoredRecord[], prefix: string): readonly JournalMark[] {
  return readMarks(records.filter(({ key }) => key.startsWith(prefix)).map(({ value }) => value));
}

function headKey(trail: string, file: string): string {
  return `${trail}/${file}`;
}
