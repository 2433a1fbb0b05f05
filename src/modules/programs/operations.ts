import type { JsonSchema } from '../../base/json/json.js';
import { GATEWAY_SOURCE, type Operation } from '../../base/protocol/operation.js';
import { createOwnOperation, type OwnOperationDraft } from '../../gateway/module.js';

/** Their names. */
const RUN_PROGRAM = 'run_program';
export const RUN_PROGRAM_READ_ONLY = 'run_program_read_only';

const OUTPUT: JsonSchema = {
  type: 'object',
  properties: {
    result: { description: 'What the program returned' },
    calls: { type: 'integer', description: 'How many calls it made' },
    console: { type: 'string', description: 'What it logged' },
    would_run: { type: 'array', items: { type: 'object' }, description: 'Of a dry run: the calls that did not run' },
  },
  required: ['result', 'calls'],
};

const PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  code: {
    type: 'string',
    minLength: 1,
    description:
      'The body of an async function (aql, input). await aql.read("name", params), likewise of every family; aql.call(name, params) ' +
      'for any; aql.find(text) searches. Calls give plain values and throw errors with code, message, details. Its return value is the result',
  },
  input: { description: 'What the code finds as input: any JSON' },
  timeout_ms: { type: 'integer', minimum: 100, description: 'End it after so many milliseconds' },
};

const TOKEN: Readonly<Record<string, JsonSchema>> = {
  program_token: {
    type: 'string',
    minLength: 1,
    description: "Agrees to what a stopped program asked and goes on with it: details.program_token, without 'code'",
  },
};

const EXAMPLES: NonNullable<OwnOperationDraft['examples']> = [
  {
    description: 'Loop over a list, and return a few values of large answers',
    params: {
      code: 'const rows = [];\nfor (const path of input.paths) {\n  const text = await aql.read("read_text_file", { path });\n  rows.push({ path, lines: String(text).split("\\n").length });\n}\nreturn rows;',
      input: { paths: ['a.txt', 'b.txt'] },
    },
  },
  {
    description: 'Reads beside each other, and an error that is handled',
    params: {
      code: 'const found = await Promise.all(input.ids.map((id) =>\n  aql.call("get_issue", { id }).catch((error) => ({ id, error: error.code }))));\nreturn found.filter((issue) => issue.state === "open");',
      input: { ids: [1, 2] },
    },
  },
];

function program(
  name: string,
  category: 'EXECUTE' | 'READ',
  words: string,
  more: Record<string, JsonSchema>,
): Operation {
  return createOwnOperation({
    name,
    category,
    danger: category === 'READ' ? 'safe' : 'reversible',
    reason: 'each call that it makes is judged by itself',
    description: words,
    parameters: { ...PARAMETERS, ...more, ...TOKEN },
    required: [],
    output: OUTPUT,
    // Controls are for READs; a program that may write says itself what it returns.
    ...(category === 'READ' && { collection: ['result'] }),
    sensitive: ['program_token'],
    mayTakeLong: true,
    examples: EXAMPLES,
  });
}

export const runProgram = program(
  RUN_PROGRAM,
  'EXECUTE',
  'Run JavaScript that calls operations, where one call for each step would cost too much. Each of its calls is judged as if you made it; ' +
    'where one must be confirmed, the program stops and goes on with its program_token',
  { dry_run: { type: 'boolean', default: false, description: 'Run reads, and only list what else it would call' } },
);

export const runProgramReadOnly = program(
  RUN_PROGRAM_READ_ONLY,
  'READ',
  'Run JavaScript that calls READ operations alone, where one call for each step would cost too much',
  {},
);

/** Whether calls of the operation run programs. */
export function isProgram({ upstream, name }: Pick<Operation, 'upstream' | 'name'>): boolean {
  return upstream === GATEWAY_SOURCE && (name === RUN_PROGRAM || name === RUN_PROGRAM_READ_ONLY);
}
