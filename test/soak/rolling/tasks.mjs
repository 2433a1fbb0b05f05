const READ = 'mcp_aql_read';
const EXECUTE = 'mcp_aql_execute';
const PAGE = 200;
/** Most of what clients do is reading. */
const READS = 10;

const tokenOf = ({ error }) => error?.details?.confirmation_token;

function expectSuccess(answer, what) {
  if (answer.success !== true) throw new Error(`${what}: ${JSON.stringify(answer).slice(0, 400)}`);
  return answer;
}

function expectEqual(found, wanted, what) {
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`);
}

/**
 * What a client does in several calls, each of which reaches another replica: `call(tool, operation, params)` sends one, `approve(id)`
 * is what an operator does, and what must have run at the upstream is added to `due`.
 */
export const TASKS = {
  async read({ call, id }) {
    for (let turn = 0; turn < READS; turn += 1)
      expectSuccess(await call(READ, 'get_plain', { id: `${id}-${turn}` }), id);
  },
  async execute({ call, id, due }) {
    expectSuccess(await call(EXECUTE, 'do_plain', { id }), id);
    due.add(id);
  },
  async confirm({ call, id, due }) {
    const _confirmation = tokenOf(await call(EXECUTE, 'do_confirmed', { id }));
    expectSuccess(await call(EXECUTE, 'do_confirmed', { id, _confirmation }), id);
    due.add(id);
    const again = await call(EXECUTE, 'do_confirmed', { id, _confirmation });
    expectEqual(again.error?.code, 'TOKEN_ALREADY_USED', 'a used token');
  },
  async approve({ call, approve, id, due }) {
    const asked = await call(EXECUTE, 'do_approved', { id });
    await approve(asked.error?.details?.approval?.id);
    expectSuccess(await call(EXECUTE, 'do_approved', { id, _confirmation: tokenOf(asked) }), id);
    due.add(id);
  },
  async limit({ call, id, due }) {
    const answer = await call(EXECUTE, 'do_limited', { id });
    if (answer.error?.code === 'RATE_LIMIT_QUOTA_EXHAUSTED') return;
    expectSuccess(answer, id);
    due.add(id);
  },
  async page({ call, rows }) {
    let found = 0;
    for (let after; after !== null; ) {
      const { data } = expectSuccess(await call(READ, 'list_rows', { first: PAGE, ...(after && { after }) }), 'a page');
      found += data.items.length;
      after = data.pageInfo.hasNextPage ? data.pageInfo.endCursor : null;
    }
    expectEqual(found, rows, 'rows of all pages');
  },
  async result({ call, rows }) {
    const whole = expectSuccess(await call(READ, 'list_rows', {}), 'a list');
    const name = /res_[\w-]+/.exec(JSON.stringify(whole.warnings))?.[0];
    const path = `rows[${rows - 1}].id`;
    const part = expectSuccess(await call(READ, 'introspect', { query: 'result', name, path }), 'a part of a result');
    expectEqual(part.data.value, rows, 'the last row');
  },
};
