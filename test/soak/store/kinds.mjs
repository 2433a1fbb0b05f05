import { setTimeout as delay } from 'node:timers/promises';

const [READ, EXECUTE] = ['mcp_aql_read', 'mcp_aql_execute'];
const TRIES = 30;

/** An answer that the client did not want. */
export class Refused extends Error {}

/**
 * Nine things that clients do, each of which needs the store in another way.
 * @param caller sends the calls
 * @param mayRun takes the ids of the writes that may run from now on
 * @param operator the token of who approves
 */
export function makeKinds({ caller, mayRun, operator }) {
  const call = (...args) => caller.call(...args);
  const write = (operation, params) => insist(() => call(EXECUTE, operation, params));
  return {
    async read(id) {
      take(await call(READ, 'get_plain', { id }));
    },
    async write(id) {
      mayRun.add(id);
      take(await call(EXECUTE, 'do_plain', { id }));
    },
    async confirm(id) {
      const _confirmation = tokenOf(await write('do_confirmed', { id }));
      mayRun.add(id);
      take(await write('do_confirmed', { id, _confirmation }));
    },
    async approve(id) {
      const asked = await write('do_approved', { id });
      const _confirmation = tokenOf(asked);
      const path = `/admin/approvals/${asked.error.details.approval?.id}/approve`;
      // An approval whose answer is lost may have been taken; before it was sent, nothing may run.
      await call(EXECUTE, 'do_approved', { id, _confirmation });
      mayRun.add(id);
      const { status, said } = await caller.post(path, 'approve', {}, {}, operator);
      if (status !== 200) throw new Refused(said.slice(0, 200));
      take(await write('do_approved', { id, _confirmation }));
    },
    async limit(id) {
      mayRun.add(id);
      const answer = await call(EXECUTE, 'do_limited', { id });
      if (answer.error?.code !== 'RATE_LIMIT_QUOTA_EXHAUSTED') take(answer);
    },
    async page() {
      const { pageInfo } = take(await call(READ, 'list_rows', { first: 200 })).data;
      take(await call(READ, 'list_rows', { first: 200, after: pageInfo.endCursor }));
    },
    async result() {
      const whole = take(await call(READ, 'list_rows'));
      const name = /res_[\w-]+/.exec(JSON.stringify(whole.warnings))?.[0];
      take(await call(READ, 'introspect', { query: 'result', name, path: 'rows[599].id' }));
    },
    async background(id) {
      mayRun.add(id);
      const { data } = take(await call(EXECUTE, 'do_plain', { id, _execution: { background: true } }));
      take(await call(READ, 'get_execution_status', { execution_id: data.execution_id }));
    },
    async session(id) {
      const callInSession = await caller.openSession();
      for (let turn = 0; turn < 2; turn += 1) take(await callInSession(READ, 'get_plain', { id }));
    },
  };
}

function take(answer) {
  if (answer.success !== true) throw new Refused(`${answer.error?.code} ${answer.error?.message}`);
  return answer;
}

function tokenOf({ error }) {
  const token = error?.details?.confirmation_token;
  if (token === undefined) throw new Refused(`${error?.code} ${error?.message}`);
  return token;
}

/** Sends again what is retryable, as a careful client does. */
async function insist(send) {
  for (let tries = 1; ; tries += 1) {
    const answer = await send();
    const { retryable, retry_after_seconds: seconds = 0.5 } = answer.error?.details ?? {};
    if (answer.success === true || retryable !== true || tries === TRIES) return answer;
    await delay(seconds * 1_000);
  }
}
