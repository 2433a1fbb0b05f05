import { userInfo } from 'node:os';
import { basename } from 'node:path';
import type { Command } from 'commander';
import type { JsonObject } from '../../base/json/json.js';
import { type Classification, GATEWAY_SOURCE } from '../../base/protocol/operation.js';
import { countUnderstanding } from '../../base/protocol/understanding.js';
import type { LockContent } from '../../config/gateway-config.js';
import { writeLockFile } from '../../config/load/lock-file.js';
import type { Inspected } from '../../gateway/gateway.js';
import {
  type Acceptance,
  acceptTools,
  type CurrentDefinitions,
  compareWithLock,
  type DefinitionKind,
  describeTools,
  type ToolDifference,
} from '../../gateway/review/lock-review.js';
import { CliError, EXIT_CODE, type ExitCode } from '../shared/exit-code.js';
import { requireKeyboard, reviewOperations } from '../shared/review-operations.js';
import { FROM_OPTION, type SourceFlags, withSource } from '../shared/source.js';
import { paintFor, printJson, printLine, printWarning, type Terminal } from '../shared/terminal.js';

interface LockFlags extends SourceFlags {
  /** True without names. */
  readonly accept?: boolean | readonly string[];
  readonly review?: boolean;
}

/** The result of `lock`; the shape of `lock --json`. */
interface LockReport {
  readonly file: string;
  readonly written: boolean;
  /** Whether there was a lock to compare with. */
  readonly existed: boolean;
  /** What differs from the lock; where the lock was written, what was accepted. */
  readonly differences: readonly ToolDifference[];
  /** Upstreams whose tools could not be listed, by configured name. */
  readonly not_seen: readonly string[];
  /** Definitions beside tools that could not be read, of upstreams that were seen: `notes: prompts`. */
  readonly not_read: readonly string[];
  /** How many operations are known, understood and uncertain, in words. */
  readonly understood: string;
  /** Suspicious parts of the definitions that were written or compared. */
  readonly suspicions: readonly string[];
}

const EMPTY: LockContent = { version: 1, upstreams: {} };

const TOOL_SEPARATOR = '::';

export function registerLock(program: Command, terminal: Terminal): void {
  program
    .command('lock')
    .description('write gateway.lock.json, or show what differs from it; exit code 6 if anything does')
    .option('--accept [names...]', 'accept all differences, or those of an upstream or of upstream::tool')
    .option('--review', 'ask about the least certain classifications, one key each, and write what is answered')
    .option(...FROM_OPTION)
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<LockFlags>();
      if (flags.review === true) {
        const keyboard = requireKeyboard(terminal);
        await withSource(flags, terminal, (gateway) => reviewOperations(gateway, terminal, keyboard), {
          withheldToo: true,
        });
        return;
      }
      const report = await withSource(flags, terminal, (gateway) => runLock(gateway, flags), { withheldToo: true });
      if (flags.json === true) printJson(terminal, report);
      else printReport(report, terminal);
      process.exitCode = exitCodeOf(report);
    });
}

async function runLock(gateway: Inspected, { accept, from }: LockFlags): Promise<LockReport> {
  const { file, content } = gateway.config.lock;
  const current = await describeTools(gateway);
  const notSeen = from === undefined ? listUnseen(gateway, current) : [];
  const acceptance = readAcceptance(accept, content, current);
  const differences = await compareWithLock(current, content ?? EMPTY);
  const written = acceptance !== undefined;
  if (written) {
    await write(file, acceptTools(content ?? EMPTY, current, acceptance));
    gateway.recordAdmin('lock_accepted', describeAcceptance(file, acceptance), userInfo().username);
  }
  return {
    file,
    written,
    existed: content !== null,
    differences: differences.filter((difference) => !written || isAccepted(difference, acceptance)),
    not_seen: notSeen,
    not_read: listUnread(current),
    understood: countUnderstanding(operationsOf(gateway)),
    suspicions: gateway.status().diagnostics.flatMap(({ kind, message }) => (SUSPICIONS.has(kind) ? [message] : [])),
  };
}

/** The classifications of what upstreams offer. */
function operationsOf(gateway: Inspected): readonly Classification[] {
  const offered = gateway.operations().filter(({ operation }) => operation.upstream !== GATEWAY_SOURCE);
  return offered.map(({ operation }) => operation.classification);
}

/** The diagnostics of a definition that an operator should know before accepting it. */
const SUSPICIONS: ReadonlySet<string> = new Set([
  'hidden-characters',
  'oversized-definition',
  'instructs-model',
  'exfiltration-hint',
  'names-other-tool',
]);

/** Describes what was accepted, for the audit record. */
function describeAcceptance(file: string, acceptance: Acceptance): JsonObject {
  const accepted =
    acceptance === 'everything'
      ? acceptance
      : acceptance.map(({ upstream, tool }) => (tool === undefined ? upstream : `${upstream}${TOOL_SEPARATOR}${tool}`));
  return { file: basename(file), accepted };
}

/** Undefined where nothing is to be written: without `--accept`, only a missing lock is written. */
function readAcceptance(
  accept: LockFlags['accept'],
  lock: LockContent | null,
  current: LockContent,
): Acceptance | undefined {
  if (accept === undefined || accept === false) {
    if (lock !== null) return undefined;
    if (Object.keys(current.upstreams).length > 0) return 'everything';
    throw new CliError(EXIT_CODE.unreachable, "Not written: no upstream's tools could be listed");
  }
  if (accept === true) return 'everything';
  return accept.map((name) => readName(name, lock ?? EMPTY, current));
}

/** Reads `upstream` or `upstream::tool`, which must be offered now or be in the lock. */
function readName(name: string, lock: LockContent, current: LockContent): { upstream: string; tool?: string } {
  const isUpstream = (upstream: string): boolean =>
    [lock, current].some(({ upstreams }) => Object.hasOwn(upstreams, upstream));
  if (isUpstream(name)) return { upstream: name };
  const at = name.indexOf(TOOL_SEPARATOR);
  const upstream = name.slice(0, at);
  const tool = name.slice(at + TOOL_SEPARATOR.length);
  const isTool = [lock, current].some(
    ({ upstreams, others = {} }) =>
      Object.hasOwn(upstreams[upstream] ?? {}, tool) || Object.hasOwn(others[upstream] ?? {}, tool),
  );
  if (at > 0 && isUpstream(upstream) && isTool) return { upstream, tool };
  const known = [...new Set([...Object.keys(current.upstreams), ...Object.keys(lock.upstreams)])].sort();
  const message = `--accept: there is no upstream or upstream::tool '${name}'; upstreams: ${known.join(', ')}`;
  throw new CliError(EXIT_CODE.usage, message);
}

function isAccepted({ upstream, tool }: ToolDifference, acceptance: Acceptance): boolean {
  if (acceptance === 'everything') return true;
  return acceptance.some((each) => each.upstream === upstream && (each.tool === undefined || each.tool === tool));
}

function listUnseen(gateway: Inspected, current: LockContent): readonly string[] {
  return gateway.config.upstreams
    .filter(
      ({ name, disabled, problem }) => (!disabled || problem !== undefined) && !Object.hasOwn(current.upstreams, name),
    )
    .map(({ name }) => name);
}

const KIND_NAMES: Readonly<Record<DefinitionKind, string>> = {
  prompt: 'prompts',
  template: 'URI templates',
  server: 'words of the server',
};

function listUnread({ unread }: CurrentDefinitions): readonly string[] {
  return Object.entries(unread).flatMap(([name, kinds]) =>
    kinds === 'everything' ? [] : kinds.map((kind) => `${name}: ${KIND_NAMES[kind]}`),
  );
}

async function write(file: string, content: LockContent): Promise<void> {
  try {
    await writeLockFile(file, content);
  } catch (cause) {
    throw new CliError(EXIT_CODE.failure, `Not written: ${file}: the file cannot be written`, { cause });
  }
}

function exitCodeOf({ written, differences, not_seen: notSeen, not_read: notRead }: LockReport): ExitCode {
  if (!written && differences.length > 0) return EXIT_CODE.unreviewed;
  return notSeen.length + notRead.length > 0 ? EXIT_CODE.unreachable : EXIT_CODE.ok;
}

const MARKS: Readonly<Record<ToolDifference['kind'], string>> = {
  new: '+',
  changed: '~',
  vanished: '-',
  reclassified: '~',
};

function printReport(report: LockReport, terminal: Terminal): void {
  const { file, written, existed, differences, not_seen: notSeen, suspicions } = report;
  const paint = paintFor(terminal.out);
  // Where there was no lock, everything is new, and the file itself lists it.
  for (const { upstream, tool, kind, details } of existed ? differences : []) {
    printLine(terminal, `${MARKS[kind]} ${paint.bold(`${upstream}${TOOL_SEPARATOR}${tool}`)} (${kind})`);
    // The details are for the decision; an operator who accepts has seen them.
    if (!written) for (const detail of details) printLine(terminal, `    ${detail}`);
  }
  for (const suspicion of suspicions) printWarning(terminal, suspicion);
  for (const name of notSeen) printWarning(terminal, `'${name}' could not be listed; its entry stays as it is`);
  for (const each of report.not_read)
    printWarning(terminal, `${each} could not be read; their entries stay as they are`);
  printLine(terminal, concludeReport(file, written, differences));
  if (report.understood !== '') printLine(terminal, `Operations: ${report.understood}.`);
}

function concludeReport(file: string, written: boolean, differences: readonly ToolDifference[]): string {
  const others = differences.filter(({ isTool }) => isTool === false).length;
  const tools = differences.length - others;
  const count = [
    ...(tools > 0 || others === 0 ? [tools === 1 ? '1 tool' : `${tools} tools`] : []),
    ...(others > 0 ? [others === 1 ? '1 other definition' : `${others} other definitions`] : []),
  ].join(' and ');
  if (written) return `Wrote ${file} (${count} accepted). A running gateway reloads it.`;
  if (differences.length === 0) return `Nothing differs from ${file}.`;
  return `${count} ${differences.length === 1 ? 'differs' : 'differ'} from ${file}. Accept with: mcp-aql-gateway lock --accept [upstream[::tool] ...]`;
}
