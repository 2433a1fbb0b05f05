import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { findNameGlobFault, isPattern } from '../../base/lib/glob.js';
import { toSnakeCase } from '../../base/lib/names.js';
import { replaceFile } from '../../base/lib/replace-file.js';
import { type Category, type DangerLevel, localNameOf, type Operation } from '../../base/protocol/operation.js';
import type { ToolSet } from '../../base/protocol/tools.js';
import { type CurationTarget, draftCuration, type Judgement } from '../../config/edit/change-curation.js';
import { type FileChange, openEditableConfig, writeChange } from '../../config/edit/edit-config.js';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { isPackagedConfig, type LoadOptions, loadConfig } from '../../config/load/load-config.js';
import type { Inspected } from '../gateway.js';
import { judgeTools } from './lock-review.js';

export type { Judgement } from '../../config/edit/change-curation.js';
export type { FileChange } from '../../config/edit/edit-config.js';

/** How the gateway treats an operation. */
export interface Treatment {
  readonly category: Category;
  readonly danger: DangerLevel;
  readonly family: string;
  /** What policy says of a call without parameters: `allow`, `confirm` or `deny`. */
  readonly policy: string;
}

/** One operation that a change is about. */
interface TreatmentChange {
  /** Its name within its upstream. */
  readonly name: string;
  /** Absent where there is no such operation. */
  readonly before?: Treatment;
  readonly after?: Treatment;
}

/** What saving a judgement would do. */
export interface CurationPreview {
  readonly change: FileChange;
  /** Each operation that is treated differently. */
  readonly operations: readonly TreatmentChange[];
  /** Names the change: what is saved is what was read. */
  readonly digest: string;
}

/** What there is to change, and where. Undefined where the gateway runs on no file of its own. */
function locate({ config }: Inspected): (LoadOptions & { readonly file: string }) | undefined {
  const { file, directory, sections } = config;
  return file === null || isPackagedConfig(file)
    ? undefined
    : { file, env: process.env, cwd: directory, sections, tolerant: true };
}

/**
 * What would change if an operator judged an operation otherwise: in the file, and for callers. Writes nothing.
 * @returns undefined where the gateway has no configuration file of its own
 * @throws ConfigError, ServerChangeFault or JsoncSyntaxError where the file cannot be changed so
 */
export async function previewCuration(
  gateway: Inspected,
  operation: Operation,
  judgement: Judgement,
): Promise<CurationPreview | undefined> {
  const options = locate(gateway);
  if (options === undefined) return undefined;
  const target = targetOf(operation);
  const change = await draftCuration(await openEditableConfig(options), target, judgement);
  await writeChange(change, { ...options, isDryRun: true });
  const { config: next } = await loadConfig({ ...options, drafts: new Map([[change.file, change.after]]) });
  const tools = toolsOf(gateway, operation, target);
  const before = await treat(gateway, gateway.config, tools);
  const after = await treat(gateway, withCurationOf(operation.upstream, gateway.config, next), tools);
  const digest = createHash('sha256').update(JSON.stringify(change)).digest('base64url');
  return { change, operations: compareTreatments(before, after), digest };
}

/**
 * Writes a judgement into the file of the server, for who reviews one operation after another; a running gateway takes it like any change.
 * @returns what was written, which `undoChange` takes back; undefined where the gateway has no configuration file of its own
 * @throws ConfigError, ServerChangeFault or JsoncSyntaxError where the file cannot be changed so
 */
export async function writeJudgement(
  gateway: Inspected,
  operation: Operation,
  judgement: Judgement,
): Promise<FileChange | undefined> {
  const options = locate(gateway);
  if (options === undefined) return undefined;
  const change = await draftCuration(await openEditableConfig(options), targetOf(operation), judgement);
  await writeChange(change, options);
  const details = { operation: operation.qualifiedName, ...judgement };
  gateway.recordAdmin('curation_changed', details, userInfo().username);
  return change;
}

/** Writes a file as it was before a change; false where somebody has changed it since, and then nothing is written. */
export async function undoChange({ file, before, after }: FileChange): Promise<boolean> {
  if ((await readFile(file, 'utf8')) !== after) return false;
  await replaceFile(file, before);
  return true;
}

/** How a judgement was saved. */
type SavedCuration =
  | { readonly kind: 'saved'; readonly file: string; readonly reload: Awaited<ReturnType<Inspected['reload']>> }
  /** The file is not as it was when the change was read. */
  | { readonly kind: 'outdated' }
  | { readonly kind: 'no-file' };

/** Writes what was previewed, records who did, and takes it into the gateway. @param digest of the preview */
export async function saveCuration(
  gateway: Inspected,
  operation: Operation,
  judgement: Judgement,
  { digest, operator }: { readonly digest: string; readonly operator: string },
): Promise<SavedCuration> {
  const [options, preview] = [locate(gateway), await previewCuration(gateway, operation, judgement)];
  if (options === undefined || preview === undefined) return { kind: 'no-file' };
  if (preview.digest !== digest) return { kind: 'outdated' };
  await writeChange(preview.change, options);
  const details = { operation: operation.qualifiedName, ...judgement };
  gateway.recordAdmin('curation_changed', details, operator, 'http');
  return { kind: 'saved', file: preview.change.file, reload: await gateway.reload(`operator '${operator}'`) };
}

/**
 * A part of a grouped tool has a name of its own, and a whole tool the server's: in snake_case where it cannot be told from a pattern,
 * or is none that the configuration takes.
 */
function targetOf(operation: Operation): CurationTarget {
  const { upstream, tool, fixedArguments } = operation;
  const name = isPattern(tool) || findNameGlobFault(tool) !== undefined ? toSnakeCase(tool) : tool;
  return { upstream, pattern: fixedArguments === undefined ? name : localNameOf(operation) };
}

/** The tools that the rule would speak of. */
function toolsOf(gateway: Inspected, { upstream, tool }: Operation, { pattern }: CurationTarget): readonly ToolSet[] {
  const isMeant = (name: unknown): boolean =>
    typeof name === 'string' && (name === tool || name === pattern || toSnakeCase(name) === pattern);
  return gateway
    .toolSets()
    .filter((set) => set.upstream === upstream)
    .map((set) => ({ upstream, tools: set.tools.filter((each) => isMeant(each?.['name'])) }));
}

function withCurationOf(slug: string, config: GatewayConfig, next: GatewayConfig): GatewayConfig {
  const curation = next.upstreams.find((upstream) => upstream.slug === slug)?.curation;
  if (curation === undefined) return config;
  return {
    ...config,
    upstreams: config.upstreams.map((upstream) => (upstream.slug === slug ? { ...upstream, curation } : upstream)),
  };
}

async function treat(
  gateway: Inspected,
  config: GatewayConfig,
  tools: readonly ToolSet[],
): Promise<ReadonlyMap<string, Treatment>> {
  const judged = await judgeTools(config, tools);
  const entries = judged.map(({ operation, family }): readonly [string, Treatment] => {
    const { category, danger } = operation.classification;
    const policy = gateway.explainPolicy({ operation, params: {} }).decision.effect;
    return [localNameOf(operation), { category, danger: danger.level, family, policy }];
  });
  return new Map(entries);
}

function compareTreatments(
  before: ReadonlyMap<string, Treatment>,
  after: ReadonlyMap<string, Treatment>,
): readonly TreatmentChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [then, now] = [before.get(name), after.get(name)];
    if (JSON.stringify(then) === JSON.stringify(now)) return [];
    return [{ name, ...(then && { before: then }), ...(now && { after: now }) }];
  });
}
