import { elapsedNanoseconds, measureInTurn } from '../inner/measure-in-turn.mjs';
import { ASKED } from './asked.mjs';
import { LIST_ROWS } from './rows.mjs';

const SESSION = 'bench';

/**
 * The 10,000 rows, asked for in all ways.
 * @param openPass as `openAnswers` gives it
 * @returns `probe()`: what is wrong with the answers, in words; `measure(effort)`: the costs, and again what is wrong
 */
export function askRows(openPass) {
  const subjects = ASKED.map((asked) => openSubject(asked, openPass));
  return {
    async probe() {
      const faults = [];
      for (const subject of subjects) faults.push(...(await subject.probe()));
      return faults;
    },
    async measure(effort) {
      const { costs, wrong } = await measureInTurn(subjects, effort, elapsedNanoseconds);
      const faults = ASKED.filter(({ name }) => wrong[name] > 0).map(
        ({ name }) => `${name}: ${wrong[name]} of ${effort.repeats * effort.calls} answers were others than before`,
      );
      return { costs, faults };
    },
  };
}

function openSubject({ name, settings, params, follows = false, isRight }, openPass) {
  const { pass, results } = openPass(isRight && { ...settings });
  const request = (more) => ({ tool: 'mcp_aql_read', operation: LIST_ROWS.name, params: { ...params, ...more } });
  let wanted = request();
  let length;
  const prepare = async () => {
    // Everybody begins with nothing kept, and pays for no garbage but their own.
    results.endSession(SESSION);
    globalThis.gc();
    if (follows) wanted = request({ after: readData(await pass(request())).pageInfo.endCursor });
  };
  return {
    name,
    prepare,
    async probe() {
      await prepare();
      const reply = await pass(wanted);
      length = reply.text.length;
      const isGood = reply.code === 'OK' && (isRight === undefined || isRight(readData(reply)));
      return isGood ? [] : [`${name} was answered wrongly: ${reply.text.slice(0, 300)}`];
    },
    // The answer was read once; one that differs would hardly be as long.
    call: async () => {
      const { code, text } = await pass(wanted);
      return code === 'OK' && text.length === length;
    },
  };
}

function readData({ text }) {
  return JSON.parse(text).data;
}
