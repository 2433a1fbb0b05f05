import { describe, expect, it } from 'vitest';
import { DANGER_LEVELS, TRUST_LEVELS } from '../../src/base/protocol/operation.js';
import { dangerEntry, EXECUTE, startDangerUpstream } from '../support/danger-upstream.js';
import { hostGateway } from '../support/hosted-gateway.js';
import { type Answer, connectClient } from '../support/mcp-client.js';

/** Companion document "danger levels", section 4.1, in the order of its rows. */
const MATRIX = `
             untested generated validated community_reviewed certified
safe         deny     allow     allow     allow              allow
reversible   deny     deny      allow     allow              allow
destructive  deny     deny      confirm   allow              allow
dangerous    deny     deny      deny      confirm            allow
forbidden    deny     deny      deny      deny               confirm`;

const CELLS = MATRIX.trim()
  .split('\n')
  .slice(1)
  .flatMap((row) => {
    const [danger, ...decisions] = row.split(/\s+/);
    return TRUST_LEVELS.map((trust, column) => ({ danger, trust, decision: decisions[column] }));
  });

const DENIALS: Readonly<Record<string, string>> = {
  safe: 'PERMISSION_TRUST_LEVEL_INSUFFICIENT',
  reversible: 'PERMISSION_TRUST_LEVEL_INSUFFICIENT',
  destructive: 'PERMISSION_DANGER_LEVEL_DENIED',
  dangerous: 'PERMISSION_DANGER_LEVEL_DENIED',
  forbidden: 'PERMISSION_DANGER_LEVEL_DENIED',
};

const outcomeOf = ({ success, error }: Answer): string => (success ? 'OK' : (error?.code ?? ''));

describe('the trust matrix of a running gateway', () => {
  it('decides every combination, and a denied call never reaches the upstream', async () => {
    await using upstream = await startDangerUpstream();
    const mcpServers = Object.fromEntries(TRUST_LEVELS.map((trust) => [trust, dangerEntry(upstream, trust)]));
    await using gateway = await hostGateway({ mcpServers });
    await using client = await connectClient(gateway.url);
    const seen: string[] = [];
    const expected: string[] = [];
    for (const { danger, trust, decision } of CELLS) {
      const operation = `${trust}__do_${danger}`;
      const before = upstream.calls.length;
      const answer = await client.call(EXECUTE, operation, { path: '/a' });
      seen.push(`${operation}: ${outcomeOf(answer)}, ${upstream.calls.length - before} calls`);
      const code = { allow: 'OK', confirm: 'CONFIRMATION_REQUIRED', deny: DENIALS[danger ?? ''] }[decision ?? ''];
      expected.push(`${operation}: ${code}, ${decision === 'allow' ? 1 : 0} calls`);
      if (decision !== 'confirm') continue;
      const token = answer.error?.details?.['confirmation_token'];
      const confirmed = await client.call(EXECUTE, operation, { path: '/a', _confirmation: token });
      seen.push(`confirmed: ${outcomeOf(confirmed)}, ${upstream.calls.length - before} calls`);
      expected.push('confirmed: OK, 1 calls');
    }
    expect(CELLS).toHaveLength(DANGER_LEVELS.length * TRUST_LEVELS.length);
    expect(seen).toEqual(expected);
  });

  it('is described by introspection, with a tag in lists and the reasons on request', async () => {
    await using upstream = await startDangerUpstream();
    await using gateway = await hostGateway({ mcpServers: { demo: dangerEntry(upstream) } });
    await using client = await connectClient(gateway.url);
    const { data } = await client.introspect({ query: 'operations', upstream: 'demo', include: ['danger'] });
    type Row = { readonly name: string; readonly description: string; readonly danger: { readonly level: string } };
    const rows = (data.operations as readonly Row[]).map(({ name, description, danger }) => [
      name,
      /\[.*\]$/.exec(description)?.[0] ?? '',
      danger.level,
    ]);
    expect(rows.sort(([a = ''], [b = '']) => a.localeCompare(b))).toEqual([
      ['do_dangerous', '[dangerous: denied]', 'dangerous'],
      ['do_destructive', '[destructive: needs confirmation]', 'destructive'],
      ['do_destructive_too', '[destructive: needs confirmation]', 'destructive'],
      ['do_forbidden', '[forbidden: denied]', 'forbidden'],
      ['do_reversible', '', 'reversible'],
      ['do_safe', '', 'safe'],
    ]);
  });

  it('names in a denial what the operator can change', async () => {
    await using upstream = await startDangerUpstream();
    await using gateway = await hostGateway({ mcpServers: { demo: dangerEntry(upstream) } });
    await using client = await connectClient(gateway.url);
    const { error } = await client.call(EXECUTE, 'do_dangerous');
    expect(error?.message).toContain(
      "Operation 'do_dangerous' (danger: dangerous) denied for adapter trust level 'validated'",
    );
    expect(error?.details).toMatchObject({
      operation: 'do_dangerous',
      danger_level: 'dangerous',
      adapter_trust: 'validated',
      minimum_trust_required: 'community_reviewed',
    });
  });
});
