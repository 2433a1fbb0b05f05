import { describe, expect, it } from 'vitest';
import type { Category, DangerLevel, Operation } from '../../../../src/base/protocol/operation.js';
import { OperationError } from '../../../../src/base/protocol/operation-error.js';
import { withNextStep } from '../../../../src/gateway/pipeline/next-step.js';
import { anOperation } from '../../../support/an-operation.js';

interface Sketch {
  readonly category?: Category;
  readonly danger?: DangerLevel;
  readonly upstream?: string;
  readonly optional?: readonly string[];
}

function sketch(
  name: string,
  required: readonly string[],
  { category = 'CREATE', danger = 'reversible', upstream = 'demo', optional = [] }: Sketch = {},
): Operation {
  const parameters = [...required, ...optional].map((each) => ({
    name: each,
    upstreamName: each,
    place: 'params' as const,
    required: required.includes(each),
    schema: {},
  }));
  const classification = { category, danger: { level: danger, reasons: [] }, confidence: 1, evidence: [] };
  return anOperation({ name, qualifiedName: `${upstream}__${name}`, upstream, classification, parameters });
}

const reading = { category: 'READ', danger: 'safe' } as const;

function explain(
  operation: Operation,
  others: readonly Operation[],
  words = 'no such file or directory',
  isCallable: (operation: Operation) => boolean = () => true,
): OperationError {
  const error = new OperationError('NOT_FOUND_RESOURCE', `Resource not found: '${words}'`, { upstream_error: words });
  const catalog = { operations: [operation, ...others] } as unknown as Parameters<typeof withNextStep>[2]['catalog'];
  const plan = { toolFor: () => 'mcp_aql_create' } as unknown as Parameters<typeof withNextStep>[2]['plan'];
  return withNextStep(error, operation, { catalog, plan, isCallable });
}

const names = (error: OperationError): unknown =>
  (error.details['created_by'] as undefined | { operation: string }[])?.map(({ operation }) => operation) ?? [];

const readSheet = sketch('read_sheet', ['file_path', 'sheet'], reading);
const createWorkbook = sketch('create_workbook', ['filepath']);

describe('the answer to something that does not exist', () => {
  it('names the operation of the same upstream that creates it, and its tool', () => {
    const { message, details } = explain(readSheet, [createWorkbook]);
    expect(message).toBe(
      "Resource not found: 'no such file or directory'. If it does not exist yet, 'create_workbook' creates it",
    );
    expect(details['created_by']).toEqual([{ operation: 'create_workbook', tool: 'mcp_aql_create' }]);
  });

  it('names what makes files of that format, by its description, where the upstream itself makes none', () => {
    const missing = 'open /data/report.xlsx: no such file or directory';
    const write = {
      ...sketch('rewrite_file', ['path'], { upstream: 'office' }),
      description: 'Text, or Excel (.xlsx)',
    };
    const plain = { ...sketch('write_file', ['path'], { upstream: 'files' }), description: 'Writes a text file' };
    const edit = { ...sketch('edit_block', ['path'], { upstream: 'office' }), description: 'Edits .xlsx files' };
    const { message, details } = explain(readSheet, [plain, edit, write], missing);
    expect(message).toMatch(/\. If it does not exist yet: 'rewrite_file' of 'office' can make such files$/);
    expect(details['created_by']).toEqual([{ operation: 'rewrite_file', tool: 'mcp_aql_create' }]);
    expect(names(explain(readSheet, [createWorkbook, write], missing))).toEqual(['create_workbook']);
    expect(names(explain(readSheet, [write], 'open /data/report.csv: no such file or directory'))).toEqual([]);
    expect(names(explain(readSheet, [write]))).toEqual([]);
    expect(names(explain(readSheet, [write], missing, () => false))).toEqual([]);
  });

  it('names the one of the same noun, which creates another one where it does not take the same identifiers', () => {
    const read = sketch('get_notes', ['id'], reading);
    expect(explain(read, [sketch('create_note', ['title'])]).message).toMatch(/'create_note' creates one$/);
    expect(explain(read, [sketch('create_note', ['id'])]).message).toMatch(/'create_note' creates it$/);
  });

  it('says of a destructive one that it is', () => {
    const write = sketch('write_file', ['path', 'content'], { category: 'UPDATE', danger: 'destructive' });
    expect(explain(sketch('read_file', ['path'], reading), [write]).message).toMatch(
      /'write_file' creates it \(destructive: it may overwrite\)$/,
    );
  });

  it('names the folder of a file that cannot be written', () => {
    const folder = sketch('create_directory', ['path']);
    const write = sketch('write_file', ['path', 'content']);
    expect(names(explain(write, [folder, createWorkbook]))).toEqual(['create_directory']);
    expect(names(explain(sketch('read_file', ['path'], reading), [folder, write]))).toEqual(['write_file']);
  });

  it('names two at most, the harmless ones first', () => {
    const makers = ['create_a', 'create_b', 'write_c'].map((name, at) =>
      sketch(name, ['path'], { danger: at === 0 ? 'destructive' : 'reversible' }),
    );
    expect(names(explain(sketch('read_file', ['path'], reading), makers))).toEqual(['create_b', 'write_c']);
  });

  it.each([
    ['of another upstream', sketch('create_workbook', ['path'], { upstream: 'other' })],
    ['that works on a file that exists', sketch('create_chart', ['file_path', 'range'])],
    ['that only moves an existing file', sketch('add_file', ['path'])],
    ['that is dangerous', sketch('create_workbook', ['path'], { danger: 'dangerous' })],
    ['that runs something', sketch('create_workbook', ['path'], { category: 'EXECUTE' })],
    ['of another noun with the same identifier', sketch('add_comment', ['sheet'])],
  ])('names no operation %s', (_, other) => {
    expect(names(explain(readSheet, [other]))).toEqual([]);
  });

  it.each(['git: command not found', 'getaddrinfo: no such host', 'The user was not found'])(
    'names none where something else is missing: %j',
    (words) => {
      const read = sketch('get_note', ['id'], reading);
      expect(names(explain(read, [sketch('create_note', ['id'])], words))).toEqual([]);
      expect(
        names(explain(sketch('get_user', ['id'], reading), [sketch('create_user', ['id'])], 'user not found')),
      ).toEqual(['create_user']);
    },
  );

  it('names none that policy denies, and none for a deletion', () => {
    expect(names(explain(readSheet, [createWorkbook], 'no such file', () => false))).toEqual([]);
    expect(names(explain(sketch('delete_file', ['path'], { category: 'DELETE' }), [createWorkbook]))).toEqual([]);
  });
});

it('an upstream that refuses arguments in its own spelling is repeated with the name that callers use', () => {
  const parameters = [
    { name: 'file_path', upstreamName: 'filePath', place: 'params', required: true, schema: {} },
  ] as const;
  const error = new OperationError(
    'VALIDATION_INVALID_VALUE',
    "The upstream refused the arguments: 'filePath is required'",
    {
      upstream_error: 'filePath is required',
    },
  );
  const surroundings = {} as Parameters<typeof withNextStep>[2];
  const { message, details } = withNextStep(error, anOperation({ parameters }), surroundings);
  expect(message).toBe("The upstream refused the arguments: 'filePath is required'. See 'file_path'");
  expect(details['param_name']).toBe('file_path');
});
