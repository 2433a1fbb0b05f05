import { expect, it } from 'vitest';
import { buildGuardedCatalog } from '../../../../src/catalog/build-guarded-catalog.js';
import { operationOfCall } from '../../../../src/catalog/operation.js';
import { requireUnchanged } from '../../../../src/gateway/pipeline/authorize.js';
import { anUpstream, aTool, buildTestCatalog } from '../../../support/build-test-catalog.js';

const before = buildTestCatalog({ notes: [aTool('create_note')] });
const [operation] = before.operations;

function check(after: Parameters<typeof requireUnchanged>[1]['catalog']): void {
  if (operation === undefined) throw new Error('there is no operation');
  requireUnchanged(operation, { catalog: after });
}

it('a call may be sent while its operation is what it was, read anew or not', () => {
  expect(() => check(before)).not.toThrow();
  expect(() => check(buildTestCatalog({ notes: [aTool('create_note')], others: [aTool('x')] }))).not.toThrow();
});

it('a call may be sent whose arguments made its operation more dangerous, or less', () => {
  const removed = aTool('remove_notes', {
    type: 'object',
    properties: { force: { type: 'boolean' }, dry_run: { type: 'boolean' } },
  });
  const pushed = aTool('push_notes', { type: 'object', properties: { force: { type: 'boolean' } } });
  const catalog = buildTestCatalog({ notes: [removed, pushed] });
  for (const each of catalog.operations) {
    const used = operationOfCall(each, { [each.tool === 'push_notes' ? 'force' : 'dry_run']: true });
    expect(used).not.toBe(each);
    expect(() => requireUnchanged(used, { catalog })).not.toThrow();
  }
});

it('a call is refused that waited while its operation changed', () => {
  const changed = buildTestCatalog({ notes: [aTool('create_note', { type: 'object', properties: { evil: {} } })] });
  expect(() => check(changed)).toThrow("Operation 'create_note' changed while the call waited and did not run");
});

it('a call is refused that waited while its operation went away', () => {
  expect(() => check(buildTestCatalog({ notes: [] }))).toThrow(
    'Its upstream stopped offering it while the call waited',
  );
});

it('a call is refused that waited while its operation was quarantined', () => {
  const quarantined = buildGuardedCatalog({
    toolSets: [{ upstream: 'notes', tools: [aTool('create_note')] }],
    upstreams: [anUpstream('notes', { integrity: 'quarantine' })],
    builtins: [],
    pins: {},
    lock: null,
    firstToolSets: new Map(),
  });
  expect(() => check(quarantined)).toThrow(/'create_note' is quarantined/);
});
