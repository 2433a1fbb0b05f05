import { READS } from '../gate/gated-calls.mjs';
import { measureInTurn } from '../inner/measure-in-turn.mjs';

/** Who answers 64 bytes: nobody looks at them, nobody again for the noise, and the desk with its defaults. */
export const LOOKERS = ['nobody', 'noise', 'desk'];

/** Small answers that nobody asks anything of. @returns like `askRows`, but for the probe */
export function askNothing(openPass) {
  const subjects = LOOKERS.map((name) => {
    const { pass } = openPass(name === 'desk' ? {} : undefined);
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
