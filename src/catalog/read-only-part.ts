import type {
  Classification,
  DangerAssessment,
  DangerLevel,
  Operation,
  Parameter,
  StatementLanguage,
} from '../base/protocol/operation.js';
import { classifyTool } from '../classify/classify-tool.js';
import { mayTakeStatement } from '../classify/find-statement.js';
import type { UpstreamConfig } from '../config/gateway-config.js';
import type { Curation } from './curation.js';
import type { ToolRecord } from './integrity/tool-record.js';
import { languageOf } from './proven-read.js';

/** The name of the operation for the reads of a runner: `query_read_only`. */
export const readOnlyName = (name: string): string => `${name}_read_only`;

/** Whether calls of the tool exist that are proven to only read; found once for each tool. */
export function runsStatements(upstream: UpstreamConfig, tool: ToolRecord, curation: Curation): boolean {
  const { slug, trust, readOnlyStatements } = upstream;
  const { category, danger, risks } = curation;
  if (!readOnlyStatements || category !== undefined || danger !== undefined || risks !== undefined) return false;
  if (!mayTakeStatement(tool.raw)) return false;
  const find = (): boolean => tryClassify(tool, { slug, trust })?.statement !== undefined;
  return tool.runsStatements.of(JSON.stringify([slug, trust]), find);
}

/** A tool that cannot be read is reported where its operation is created. */
function tryClassify(tool: ToolRecord, upstream: Pick<UpstreamConfig, 'slug' | 'trust'>): Classification | undefined {
  try {
    const { raw, reading } = tool;
    const name = String(raw['name']);
    return classifyTool({ tool: raw, name, reading, upstream, curation: {}, ignoreAnnotations: false });
  } catch {
    return undefined;
  }
}

/**
 * The classification of the operation that runs only proven reads. Nothing that an operator declares makes it one that runs more; a
 * danger that is declared for it holds.
 */
export function asOnlyReads(
  { statement, danger, account }: Classification,
  declared: DangerLevel | undefined,
): Classification {
  if (statement === undefined) throw new TypeError('a tool that runs no statement has no operation for its reads');
  const reason = `refuses every statement in '${statement.parameter}' that is not proven to only read`;
  const isLowered = danger.level === 'reversible' || danger.level === 'destructive';
  const own: DangerAssessment = isLowered ? { level: 'safe', reasons: [reason] } : danger;
  return {
    category: 'READ',
    danger: declared === undefined ? own : { level: declared, reasons: ['declared by the operator'] },
    confidence: 1,
    evidence: account === undefined ? [reason] : [reason, account.reason],
    statement: { ...statement, only: true },
    ...(account !== undefined && { account }),
  };
}

/** What such an operation says of itself before the tool's own words. */
export function describeOnlyReads({ statement }: Classification, description: string): string {
  if (statement === undefined) return description;
  const own = `Only reads: one statement (${languageOf(statement)}) that is proven to change nothing; others are refused.`;
  return description === '' ? own : `${own} ${description}`;
}

const EXAMPLES: Readonly<Record<StatementLanguage, string>> = {
  sql: 'SELECT 1',
  graphql: '{ __typename }',
};

/** A call that is not refused; none where the tool demands more than its statement. */
export function examplesOfReads(
  name: string,
  parameters: readonly Parameter[],
  { statement }: Classification,
): Pick<Operation, 'examples'> {
  if (statement === undefined) return {};
  const carrier = parameters.find(({ upstreamName }) => upstreamName === statement.parameter);
  const others = parameters.filter((parameter) => parameter !== carrier && parameter.required);
  if (carrier === undefined || others.length > 0) return {};
  const request = { operation: name, params: { [carrier.name]: EXAMPLES[statement.language] } };
  return { examples: [{ description: 'A statement that only reads', request }] };
}
