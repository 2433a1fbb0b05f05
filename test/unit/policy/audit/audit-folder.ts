import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Observation } from '../../../../src/base/observe/observation.js';
import type { AuditConfig } from '../../../../src/config/gateway-config.js';
import {
  type AuditEvent,
  type AuditTrail,
  type AuditTrailDeps,
  openAuditTrail,
} from '../../../../src/policy/audit/audit-trail.js';
import type { JournalRecord } from '../../../../src/policy/audit/journal/line.js';

export const NOON = Date.parse('2026-11-22T12:00:00.000Z');
export const DAY = 86_400_000;

/** A clock that a test sets. */
export interface Clock {
  now: number;
}

export interface AuditFolder {
  readonly directory: string;
  /** Set to whenever the next record is to be made. */
  readonly clock: Clock;
  readonly observations: Observation[];
  open(config?: Partial<AuditConfig>, deps?: Partial<AuditTrailDeps>): Promise<AuditTrail>;
  /** Names of the journals, the oldest first. */
  files(): readonly string[];
  read(file: string): string;
  write(file: string, content: string | Buffer): void;
  /** The records of all journals, file by file. */
  records(): readonly JournalRecord[];
  /** Opens a trail, records so many events, each a millisecond after the other, and closes it. Returns its journal. */
  journal(count: number, event?: (index: number) => AuditEvent): Promise<string>;
}

/** A folder for journals, gone after the test. */
export function makeAuditFolder(): AuditFolder {
  const root = mkdtempSync(join(tmpdir(), 'aql-audit-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const directory = join(root, 'audit');
  const clock = { now: NOON };
  const observations: Observation[] = [];
  const read = (file: string): string => readFileSync(join(directory, file), 'utf8');
  const files = (): readonly string[] => readdirSync(directory).sort();
  const folder: AuditFolder = {
    directory,
    clock,
    observations,
    files,
    read,
    open: (config = {}, deps = {}) =>
      openAuditTrail(auditConfig({ directory, ...config }), {
        observe: (observation) => void observations.push(observation),
        process: 'test',
        now: () => clock.now,
        ...deps,
      }),
    write: (file, content) => writeFileSync(join(directory, file), content),
    records: () => files().flatMap((file) => parseLines(read(file))),
    async journal(count, event = anEvent) {
      const before = new Set(readdirSync(root).includes('audit') ? files() : []);
      const trail = await folder.open();
      for (let index = 0; index < count; index += 1) {
        clock.now += 1;
        trail.record(event(index));
      }
      await trail.close();
      return files().find((file) => !before.has(file)) ?? '';
    },
  };
  return folder;
}

export function auditConfig(changes: Partial<AuditConfig> = {}): AuditConfig {
  return {
    enabled: true,
    directory: '/nowhere',
    calls: 'gated',
    sync: false,
    required: false,
    maxBytes: 0,
    retentionDays: 0,
    redactKeys: [],
    redactPatterns: [],
    ...changes,
  };
}

export function anEvent(index = 0, changes: Partial<Extract<AuditEvent, { type: 'call' }>> = {}): AuditEvent {
  return {
    type: 'call',
    operation: `demo__delete_${index}`,
    upstream: 'demo',
    category: 'DELETE',
    danger: 'destructive',
    code: 'OK',
    duration_ms: 3,
    parameters: { id: index },
    actor: { session: 's1', client: 'alice' },
    ...changes,
  };
}

export function parseLines(text: string): readonly JournalRecord[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JournalRecord);
}
