import { describe, expect, it } from 'vitest';
import type { RawTool, ToolSet } from '../../../src/base/protocol/tools.js';
import { buildGuardedCatalog } from '../../../src/catalog/build-guarded-catalog.js';
import { fingerprintTool, readDefinition } from '../../../src/catalog/integrity/compare-tools.js';
import type { IntegrityMode, LockContent } from '../../../src/config/gateway-config.js';
import { anUpstream, aTool } from '../../support/build-test-catalog.js';

const [READ, SEND] = [aTool('read_mail'), aTool('sendMail')];
const EVIL = aTool('sendMail', { type: 'object' }, { description: 'Does sendMail. And more.' });

type Tools = Readonly<Record<string, readonly RawTool[]>>;

const toolSetsOf = (tools: Tools): ToolSet[] =>
  Object.entries(tools).map(([upstream, list]) => ({ upstream, tools: list }));

function lockOf(tools: Tools): LockContent {
  const upstreams = Object.entries(tools).map(([upstream, list]) => [
    upstream,
    Object.fromEntries(
      list.map((tool) => [
        tool['name'],
        { fingerprint: fingerprintTool(tool), operations: {}, definition: readDefinition(tool) },
      ]),
    ),
  ]);
  return { version: 1, upstreams: Object.fromEntries(upstreams) };
}

function build(now: Tools, lock: LockContent | null, integrity: IntegrityMode = 'quarantine', first: Tools = {}) {
  const catalog = buildGuardedCatalog({
    toolSets: toolSetsOf(now),
    upstreams: Object.keys(now).map((slug) => anUpstream(slug, { integrity })),
    builtins: [],
    pins: {},
    lock,
    firstToolSets: new Map(toolSetsOf(first).map((set) => [set.upstream, set])),
  });
  const diagnostics = catalog.diagnostics.map(({ kind, message }) => `${kind}: ${message}`);
  return { catalog, diagnostics, names: catalog.operations.map(({ name }) => name) };
}

describe('a tool that is as it was accepted', () => {
  it('is offered without a diagnostic, in every mode', () => {
    for (const mode of ['off', 'warn', 'quarantine'] as const) {
      const { names, diagnostics } = build({ mail: [SEND, READ] }, lockOf({ mail: [READ, SEND] }), mode);
      expect({ names, diagnostics }).toEqual({ names: ['read_mail', 'send_mail'], diagnostics: [] });
    }
  });
});

describe('a changed definition', () => {
  const lock = lockOf({ mail: [READ, SEND] });

  it('is reported with what changed and how to accept it', () => {
    const { names, diagnostics } = build({ mail: [READ, EVIL] }, lock, 'warn');
    expect(names).toEqual(['read_mail', 'send_mail']);
    expect(diagnostics).toEqual([
      expect.stringMatching(
        /^definition-changed: Tool 'sendMail' of 'mail' .*\{\+And more\.\+\}.*lock --accept mail::sendMail/,
      ),
    ]);
  });

  it('is not reported where integrity is off', () => {
    expect(build({ mail: [READ, EVIL] }, lock, 'off').diagnostics).toEqual([]);
  });

  it('is neither listed nor found under quarantine, and every spelling of its name resolves to the reason', () => {
    const { catalog, names } = build({ mail: [READ, EVIL] }, lock);
    expect(names).toEqual(['read_mail']);
    for (const name of ['send_mail', 'mail__send_mail', 'sendMail']) {
      expect(catalog.find(name)).toBeUndefined();
      expect(catalog.resolve(name)).toMatchObject({
        kind: 'quarantined',
        tool: { upstream: 'mail', tool: 'sendMail', kind: 'changed', acceptance: 'mail::sendMail' },
      });
    }
  });

  it('reserves its name while it is withheld', () => {
    const lockOfBoth = lockOf({ mail: [SEND], post: [SEND] });
    const { catalog, names } = build({ mail: [EVIL], post: [SEND] }, lockOfBoth);
    expect(names).toEqual(['post__send_mail']);
    expect(catalog.find('send_mail')).toBeUndefined();
    expect(catalog.resolve('send_mail')).toMatchObject({ kind: 'ambiguous', candidates: [{ upstream: 'post' }] });
  });

  it('is not offered as the most similar name while it is withheld', () => {
    const { catalog } = build({ mail: [READ, EVIL] }, lock);
    expect(catalog.resolve('send_mial')).toEqual({
      kind: 'unknown',
      nearest: expect.not.arrayContaining([expect.objectContaining({ name: 'send_mail' })]),
    });
  });

  it('is detected where only the definition in the lock was altered', () => {
    const { fingerprint } = { fingerprint: fingerprintTool(EVIL) };
    const forged: LockContent = {
      version: 1,
      upstreams: { mail: { sendMail: { fingerprint, operations: {}, definition: readDefinition(SEND) } } },
    };
    expect(build({ mail: [EVIL] }, forged).names).toEqual([]);
  });
});

describe('a new tool', () => {
  const lock = lockOf({ mail: [SEND] });

  it('is reported with its own description', () => {
    const { diagnostics } = build({ mail: [SEND, READ] }, lock, 'warn');
    expect(diagnostics).toEqual([expect.stringMatching(/^definition-new: Tool 'read_mail' .*"Does read_mail\."/)]);
  });

  it('is withheld under quarantine and takes no name from another tool', () => {
    const usurper = aTool('send_mail');
    const { catalog, names } = build({ mail: [SEND, usurper] }, lock);
    expect(names).toEqual(['send_mail']);
    expect(catalog.find('send_mail')?.tool).toBe('sendMail');
  });

  it('cannot force a qualified name on others', () => {
    const { names } = build({ mail: [SEND], post: [READ, SEND] }, lockOf({ mail: [SEND], post: [READ] }));
    expect(names).toEqual(['read_mail', 'send_mail']);
  });
});

describe('a tool that vanished', () => {
  it('is reported, and a tool that replaces it counts as new', () => {
    const { diagnostics, names } = build({ mail: [READ] }, lockOf({ mail: [SEND] }));
    expect(names).toEqual([]);
    expect(diagnostics.map((diagnostic) => diagnostic.split(':')[0])).toEqual([
      'definition-new',
      'definition-vanished',
    ]);
  });

  it('is not reported for an upstream that has not answered', () => {
    expect(build({}, lockOf({ mail: [SEND] })).diagnostics).toEqual([]);
  });
});

describe('an upstream without any accepted tool', () => {
  it('is reported once, and all its tools are withheld under quarantine', () => {
    const warned = build({ mail: [READ, SEND] }, lockOf({}), 'warn');
    expect(warned.names).toHaveLength(2);
    expect(warned.diagnostics).toEqual([expect.stringContaining('The 2 tools of')]);
    const { names, catalog } = build({ mail: [READ, SEND] }, lockOf({}));
    expect(names).toEqual([]);
    expect(catalog.resolve('read_mail')).toMatchObject({ kind: 'quarantined', tool: { kind: 'new' } });
  });
});

describe('without a lock', () => {
  it('definitions are compared with the first list of the upstream', () => {
    const first = { mail: [READ, SEND] };
    expect(build(first, null, 'warn', first).diagnostics).toEqual([]);
    const { names, diagnostics } = build({ mail: [READ, EVIL] }, null, 'warn', first);
    expect(names).toHaveLength(2);
    expect(diagnostics).toEqual([expect.stringMatching(/^definition-changed: .*since it was first offered/)]);
  });

  it('quarantine withholds every tool', () => {
    const first = { mail: [READ] };
    const { names, diagnostics } = build(first, null, 'quarantine', first);
    expect(names).toEqual([]);
    expect(diagnostics).toEqual([expect.stringContaining('there is no gateway.lock.json')]);
  });
});
