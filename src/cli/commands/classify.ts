import type { Command } from 'commander';
import { type Classification, type DangerLevel, GATEWAY_SOURCE } from '../../base/protocol/operation.js';
import {
  countUnderstanding,
  DOUBTFUL,
  expectedCost,
  type Understanding,
  understandingOf,
} from '../../base/protocol/understanding.js';
import type { LockContent, LockedOperation } from '../../config/gateway-config.js';
import type { Inspected, PlacedOperation } from '../../gateway/gateway.js';
import { localNameOf, showJudgement } from '../../gateway/review/lock-review.js';
import { EXIT_CODE } from '../shared/exit-code.js';
import { FROM_OPTION, type SourceFlags, withSource } from '../shared/source.js';
import { printJson, printLine, printTable, type Terminal, writeJson } from '../shared/terminal.js';

/** How one tool was understood; the shape of `classify --json`. */
interface ClassifiedTool {
  readonly upstream: string;
  readonly tool: string;
  readonly operation: string;
  readonly category: string;
  readonly danger: DangerLevel;
  readonly family: string;
  readonly confidence: number;
  /** Who says so: the operator, a review of this definition, or the rules, surely or not. */
  readonly understanding: Understanding;
  readonly evidence: readonly string[];
  readonly grouped_by: string | null;
  readonly identifiers: readonly string[];
}

interface ClassifyFlags extends SourceFlags {
  readonly review?: boolean;
  readonly check?: boolean;
}

/** An operation with its review and override. */
interface ReviewedTool {
  readonly classification: Classification;
  readonly classified: ClassifiedTool;
  readonly review: OperationReview | undefined;
  readonly override: string;
}

/** One entry of `classify --review --json`. */
interface ToolToReview extends ClassifiedTool {
  readonly review: ReviewReason;
  readonly override: string;
}

export function registerClassify(program: Command, terminal: Terminal): void {
  program
    .command('classify')
    .description('show how every tool is classified, and why')
    .option(...FROM_OPTION)
    .option('--ignore-annotations', "leave the upstreams' own hints out")
    .option(
      '--review',
      'only what needs a review, first where a mistake would cost most, with the line that overrides it',
    )
    .option('--check', 'the same, with exit code 6 if anything is listed or there is no gateway.lock.json')
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<ClassifyFlags>();
      const task = async (gateway: Inspected) => ({ tools: classifyAll(gateway), lock: gateway.config.lock });
      const { tools, lock } = await withSource(flags, terminal, task, { withheldToo: true });
      if (flags.review !== true && flags.check !== true) return printAll(tools, flags, terminal);
      const toReview = tools.filter(deservesReview).sort(byCost);
      printReview(toReview, flags, terminal);
      if (flags.check !== true) return;
      if (lock.content === null)
        terminal.err.write(`Nothing has been accepted: there is no ${lock.file}. ${NEXT_STEP}\n`);
      if (lock.content === null || toReview.length > 0) process.exitCode = EXIT_CODE.unreviewed;
    });
}

const NEXT_STEP = "Override what is wrong, then run 'mcp-aql-gateway lock'";

function classifyAll(gateway: Inspected): readonly ReviewedTool[] {
  const names = new Map(gateway.config.upstreams.map(({ slug, name }) => [slug, name]));
  return gateway
    .operations()
    .filter(({ operation }) => operation.upstream !== GATEWAY_SOURCE)
    .map((placed) => {
      const classified = toClassified(placed, names);
      const review = reviewOperation(placed, classified.upstream, gateway.config.lock.content);
      return { classification: placed.operation.classification, classified, review, override: overrideLine(placed) };
    });
}

function toClassified({ operation, family }: PlacedOperation, names: ReadonlyMap<string, string>): ClassifiedTool {
  const { category, danger, confidence, evidence } = operation.classification;
  return {
    upstream: names.get(operation.upstream) ?? operation.upstream,
    tool: operation.tool,
    operation: operation.name,
    category,
    danger: danger.level,
    family,
    confidence,
    understanding: understandingOf(operation.classification),
    evidence: [...evidence, ...danger.reasons],
    grouped_by: operation.groupedBy,
    identifiers: operation.identifiers,
  };
}

function printAll(tools: readonly ReviewedTool[], { json }: ClassifyFlags, terminal: Terminal): void {
  if (json === true) {
    printJson(
      terminal,
      tools.map(({ classified }) => classified),
    );
    return;
  }
  const header = ['UPSTREAM', 'OPERATION', 'CATEGORY', 'DANGER', 'FAMILY', 'SURE', 'WHY', 'REVIEW'];
  printTable(terminal, header, tools.map(toRow));
  const counts = countUnderstanding(tools.map(({ classification }) => classification));
  // Rows are for other programs where nobody looks on.
  if (counts !== '') terminal.err.write(`${tools.length} operations: ${counts}\n`);
}

function toRow({ classified, review }: ReviewedTool): string[] {
  const { upstream, operation, category, danger, family, confidence, evidence } = classified;
  const sure = `${Math.round(confidence * 100)}%`;
  return [upstream, operation, category, danger, family, sure, evidence[0] ?? '', review?.reason ?? ''];
}

function printReview(tools: readonly (ReviewedTool & Deserving)[], { json }: ClassifyFlags, terminal: Terminal): void {
  if (json === true) {
    const entries = tools.map(({ classified, review, override }): ToolToReview => {
      return { ...classified, review: review.reason, override };
    });
    printJson(terminal, entries);
    return;
  }
  for (const { classified, review, override } of tools) {
    const { upstream, operation, category, danger, evidence } = classified;
    printLine(terminal, `${upstream}\t${operation}\t${category} ${danger}\t${review.why}\t${evidence[0] ?? ''}`);
    printLine(terminal, `    in "operations" of upstreams/${upstream}.json: ${override}`);
  }
  printLine(terminal, tools.length === 0 ? 'Nothing needs a review.' : `${tools.length} to review. ${NEXT_STEP}.`);
}

interface Deserving {
  readonly review: OperationReview;
}

function deservesReview(tool: ReviewedTool): tool is ReviewedTool & Deserving {
  return tool.review !== undefined;
}

/** What is to be expected of a mistake first: its probability times what it costs. */
function byCost(a: ReviewedTool, b: ReviewedTool): number {
  return (
    expectedCost(b.classification) - expectedCost(a.classification) ||
    (a.classified.operation < b.classified.operation ? -1 : 1)
  );
}

/** Why an operation's classification needs a review: it was not accepted, it has changed, or it is uncertain. */
type ReviewReason = 'new' | 'changed' | 'uncertain';

interface OperationReview {
  readonly reason: ReviewReason;
  /** The reason in words. */
  readonly why: string;
}

/**
 * Whether an operation's classification needs a review. A classification in the lock is accepted, even an uncertain one;
 * where there is no lock, only uncertain ones need a review.
 */
function reviewOperation(
  { operation }: PlacedOperation,
  upstream: string,
  lock: LockContent | null,
): OperationReview | undefined {
  const { category, danger, confidence } = operation.classification;
  if (understandingOf(operation.classification) === 'declared') return undefined;
  const doubt = `${Math.round(confidence * 100)}% sure`;
  if (lock === null) return confidence < DOUBTFUL ? { reason: 'uncertain', why: doubt } : undefined;
  const accepted = findAccepted(lock, upstream, operation.tool, localNameOf(operation));
  if (accepted === undefined) return { reason: 'new', why: `new, ${doubt}` };
  const [before, now] = [accepted, { category, danger: danger.level }].map(showJudgement);
  return before === now ? undefined : { reason: 'changed', why: `changed from ${before}, ${doubt}` };
}

/** The line for `operations` in the upstream's file with the gateway's classification, for the operator to correct. */
function overrideLine({ operation }: PlacedOperation): string {
  const { category, danger } = operation.classification;
  // A part of a grouped tool has its own name here, because the tool's name would mean all parts.
  const name = operation.fixedArguments === undefined ? operation.tool : localNameOf(operation);
  return `${writeJson(name)}: ${JSON.stringify({ category, danger: danger.level })}`;
}

function findAccepted(
  lock: LockContent,
  upstream: string,
  tool: string,
  operation: string,
): LockedOperation | undefined {
  const tools = Object.hasOwn(lock.upstreams, upstream) ? lock.upstreams[upstream] : undefined;
  const locked = tools !== undefined && Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  return locked !== undefined && Object.hasOwn(locked.operations, operation) ? locked.operations[operation] : undefined;
}
