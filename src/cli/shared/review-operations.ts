import { summarizeText } from '../../base/lib/text.js';
import { type Category, GATEWAY_SOURCE, type Operation } from '../../base/protocol/operation.js';
import { expectedCost, understandingOf } from '../../base/protocol/understanding.js';
import type { Inspected } from '../../gateway/gateway.js';
import { type FileChange, type Judgement, undoChange, writeJudgement } from '../../gateway/review/curation-review.js';
import { CliError, EXIT_CODE } from './exit-code.js';
import { eachKey, type Keyboard, oneLine, paintFor, printLine, type Terminal } from './terminal.js';

/** A review asks about so many of all operations, and at least about so many. */
const SHARE = 0.1;
const FEWEST = 10;
const LONGEST_DESCRIPTION = 300;
const MOST_PARAMETERS = 12;

const CATEGORY_KEYS: Readonly<Record<string, Category>> = {
  c: 'CREATE',
  r: 'READ',
  u: 'UPDATE',
  d: 'DELETE',
  e: 'EXECUTE',
};

const KEYS = '[y] right  [c]reate [r]ead [u]pdate [d]elete [e]xecute  [s]kip [b]ack [q]uit';

/** @throws CliError where nobody can press a key */
export function requireKeyboard({ in: keyboard, out }: Terminal): Keyboard {
  if (keyboard?.isTTY === true && out.isTTY === true) return keyboard;
  throw new CliError(
    EXIT_CODE.usage,
    "lock --review asks at a terminal, and this is none. 'mcp-aql-gateway classify --review' lists the same with the lines that decide them",
  );
}

/** The operations that nobody has declared or reviewed and that the rules are not sure of, first where a mistake would cost most. */
function leastCertain(gateway: Inspected): readonly Operation[] {
  const all = gateway.operations().map(({ operation }) => operation);
  const own = all.filter(({ upstream }) => upstream !== GATEWAY_SOURCE);
  const uncertain = own.filter(({ classification }) => understandingOf(classification) === 'uncertain');
  const most = Math.max(FEWEST, Math.ceil(own.length * SHARE));
  return uncertain
    .toSorted((one, other) => expectedCost(other.classification) - expectedCost(one.classification))
    .slice(0, most);
}

/** What was answered about one operation, and how it is taken back. */
interface Answer {
  /** Its place in the list. */
  readonly at: number;
  /** Absent where it was skipped. */
  readonly change?: FileChange;
}

/**
 * Asks about one operation after the other. Each answer is written at once as curation, so that quitting loses nothing, and can be
 * taken back in turn.
 */
export async function reviewOperations(gateway: Inspected, terminal: Terminal, keyboard: Keyboard): Promise<void> {
  const operations = leastCertain(gateway);
  const answers: Answer[] = [];
  let at = 0;
  if (operations.length > 0) {
    show(terminal, operations, at);
    await eachKey(keyboard, async (key) => {
      const operation = operations[at];
      if (key === 'b') at = await goBack(answers, at, terminal);
      else if (key === 'q' || operation === undefined) return true;
      else {
        const answer = await take(key, at, operation, gateway);
        if (answer === undefined) return false;
        answers.push(answer);
        at += 1;
      }
      show(terminal, operations, at);
      return false;
    });
  }
  printLine(terminal, conclude(operations.length, answers));
}

/** Writes what a key says of an operation; undefined for keys that say nothing. */
async function take(key: string, at: number, operation: Operation, gateway: Inspected): Promise<Answer | undefined> {
  if (key === 's') return { at };
  const judgement = judgementOf(key, operation);
  return judgement && { at, change: await write(gateway, operation, judgement) };
}

/** What a key says of an operation; undefined for keys that say nothing. */
function judgementOf(key: string, { classification: { category, danger } }: Operation): Judgement | undefined {
  if (key === 'y') return { category, danger: danger.level };
  const other = Object.hasOwn(CATEGORY_KEYS, key) ? CATEGORY_KEYS[key] : undefined;
  return other && { category: other };
}

async function write(gateway: Inspected, operation: Operation, judgement: Judgement): Promise<FileChange> {
  const change = await writeJudgement(gateway, operation, judgement);
  if (change !== undefined) return change;
  throw new CliError(
    EXIT_CODE.usage,
    "Nothing can be written: there is no configuration file. 'mcp-aql-gateway init' writes one",
  );
}

/** @returns the place that is asked about again */
async function goBack(answers: Answer[], at: number, terminal: Terminal): Promise<number> {
  const last = answers.at(-1);
  if (last === undefined) return at;
  if (last.change !== undefined && !(await undoChange(last.change))) {
    printLine(terminal, `  not taken back: ${oneLine(last.change.file)} has been changed since`);
    return at;
  }
  answers.pop();
  return last.at;
}

function show(terminal: Terminal, operations: readonly Operation[], at: number): void {
  const operation = operations[at];
  if (operation === undefined) {
    printLine(terminal, 'All are asked about: [b]ack, or any other key to end');
    return;
  }
  const { category, danger, confidence, evidence } = operation.classification;
  const paint = paintFor(terminal.out);
  const sure = `${category}, ${danger.level}, ${Math.round(confidence * 100)} % sure`;
  const parameters = operation.parameters.map(({ name, required }) => (required ? name : `${name}?`));
  const more = parameters.length > MOST_PARAMETERS ? ', ...' : '';
  printLine(terminal);
  printLine(terminal, `${at + 1} of ${operations.length}  ${paint.bold(oneLine(operation.qualifiedName))}  ${sure}`);
  if (operation.description !== '')
    printLine(terminal, `  "${oneLine(summarizeText(operation.description, LONGEST_DESCRIPTION))}"`);
  if (parameters.length > 0)
    printLine(terminal, `  takes ${oneLine(parameters.slice(0, MOST_PARAMETERS).join(', '))}${more}`);
  for (const line of [...evidence, ...danger.reasons]) printLine(terminal, `  - ${oneLine(line)}`);
  printLine(terminal, `  ${KEYS}`);
}

function conclude(count: number, answers: readonly Answer[]): string {
  if (count === 0) return 'Nothing is uncertain.';
  const files = [...new Set(answers.flatMap(({ change }) => (change === undefined ? [] : [change.file])))];
  const decided = answers.filter(({ change }) => change !== undefined).length;
  if (decided === 0) return `Nothing was decided; ${count} are uncertain.`;
  return `${decided} of ${count} decided, written to ${files.map(oneLine).join(', ')}. Accept them with: mcp-aql-gateway lock --accept`;
}
