import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { LockContent, LockedTool } from '../../config/gateway-config.js';
import { createReport } from '../../config/load/diagnostics.js';
import { readLockFile, writeLockFile } from '../../config/load/lock-file.js';
import type { Inspected } from '../gateway.js';
import {
  acceptTools,
  type CurrentDefinitions,
  compareWithLock,
  describeTools,
  type ToolDifference,
} from './lock-review.js';

export type { ToolDifference } from './lock-review.js';

const NO_LOCK: LockContent = { version: 1, upstreams: {} };

/** What differs from the lock at this moment. */
interface DefinitionReview {
  readonly file: string;
  /** Whether there is a lock. */
  readonly exists: boolean;
  readonly differences: readonly ToolDifference[];
  /** The upstreams that were not read, or not completely, by configured name. */
  readonly unread: readonly string[];
}

/** One difference with both definitions. */
export interface DefinitionDifference extends ToolDifference {
  readonly before: LockedTool | undefined;
  readonly after: LockedTool | undefined;
  /** Names both: what is accepted is what was read. */
  readonly digest: string;
}

/** Which definition is meant. */
interface DefinitionName {
  /** The configured name. */
  readonly upstream: string;
  readonly tool: string;
}

/** Everything that differs from the lock. */
export async function reviewDefinitions(gateway: Inspected): Promise<DefinitionReview> {
  const { file, content } = gateway.config.lock;
  // Everything would differ.
  if (content === null) return { file, exists: false, differences: [], unread: [] };
  const current = await describeTools(gateway);
  const differences = await compareWithLock(current, content);
  return { file, exists: true, differences, unread: Object.keys(current.unread) };
}

/** One difference; undefined where there is none. */
export async function reviewDefinition(
  gateway: Inspected,
  name: DefinitionName,
): Promise<DefinitionDifference | undefined> {
  return findDifference(await describeTools(gateway), gateway.config.lock.content ?? NO_LOCK, name);
}

async function findDifference(
  current: CurrentDefinitions,
  lock: LockContent,
  { upstream, tool }: DefinitionName,
): Promise<DefinitionDifference | undefined> {
  const differences = await compareWithLock(current, lock);
  const found = differences.find((each) => each.upstream === upstream && each.tool === tool);
  if (found === undefined) return undefined;
  const [before, after] = [lock, current].map((content) => {
    const all = found.isTool === false ? (content.others ?? {}) : content.upstreams;
    const tools = Object.hasOwn(all, upstream) ? all[upstream] : undefined;
    return tools !== undefined && Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  });
  const named = [before, after].map((each) => [each?.fingerprint ?? null, each?.operations ?? null]);
  const digest = createHash('sha256').update(JSON.stringify(named)).digest('base64url');
  return { ...found, before, after, digest };
}

/** How accepting ended: `outdated` where what was read is not what there is now, `unreadable` where the lock is no lock. */
export type Accepted = 'accepted' | 'outdated' | 'unreadable';

/** Accepts one definition as it was read: writes the lock, records who did, and takes it into the gateway. */
export async function acceptDefinition(
  gateway: Inspected,
  name: DefinitionName,
  { digest, operator }: { readonly digest: string; readonly operator: string },
): Promise<Accepted> {
  const lock = await readLock(gateway);
  if (lock === undefined) return 'unreadable';
  const current = await describeTools(gateway);
  const difference = await findDifference(current, lock, name);
  if (difference?.digest !== digest) return 'outdated';
  await write(gateway, acceptTools(lock, current, [name]), { operator, accepted: [`${name.upstream}::${name.tool}`] });
  return 'accepted';
}

/** Writes a lock of everything that there is now, where there is none. */
export async function beginLock(gateway: Inspected, operator: string): Promise<Accepted> {
  if (gateway.config.lock.content !== null) return 'outdated';
  const lock = await readLock(gateway);
  if (lock === undefined) return 'unreadable';
  const content = acceptTools(lock, await describeTools(gateway), 'everything');
  await write(gateway, content, { operator, accepted: 'everything' });
  return 'accepted';
}

/** As the file is now: the command line may have written it a moment ago. */
async function readLock({ config: { lock, directory } }: Inspected): Promise<LockContent | undefined> {
  const report = createReport();
  const { content } = await readLockFile(lock.file, directory, report);
  return report.problems.length > 0 ? undefined : (content ?? NO_LOCK);
}

async function write(
  gateway: Inspected,
  content: LockContent,
  { operator, accepted }: { readonly operator: string; readonly accepted: string | readonly string[] },
): Promise<void> {
  const { file } = gateway.config.lock;
  await writeLockFile(file, content);
  gateway.recordAdmin('lock_accepted', { file: basename(file), accepted }, operator, 'http');
  await gateway.reload(`operator '${operator}'`);
}
