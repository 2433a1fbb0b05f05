import { READS } from '../gate/gated-calls.mjs';
import { measureInTurn } from '../inner/measure-in-turn.mjs';

/** The subjects of answers of 64 bytes: no result shaping, the same again for the noise, and shaping with its defaults. */
export const LOOKERS = ['none', 'noise', 'shaping'];

/** Small answers of which nothing is asked. @returns `measure` as `askRows` has it */
export function askSmall(openPass) {
  const subjects = LOOKERS.map((name) => {
    const { pass } = openPass(name === 'shaping' ? {} : undefined);
    const call = async (index) => {
      const request = READS[index % READS.length];
      return (await pass(request)).text === `{"success":true,"data":${JSON.stringify(request.params.text)}}`;
    };
    return { name, call };
  });
  return {
    async measure(effort) {
      const { costs, wrong } = await measureInTurn(subjects, effort);
      const faults = LOOKERS.filter((name) => wrong[name] > 0).map(
        (name) => `${name}: ${wrong[name]} small answers were wrong`,
      );
      return { costs, faults };
    },
  };
}
