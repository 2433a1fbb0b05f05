import { readFileSync } from 'node:fs';

/** The scenarios that cannot pass, with the reason. */
export function readExpected() {
  return JSON.parse(readFileSync(new URL('./expected.json', import.meta.url), 'utf8'));
}

/**
 * Sets the results beside the list: a scenario that fails has to be on it, and one that passes must not.
 *
 * @returns the results with the `reason` that is listed, and the `faults` as sentences
 */
export function compare(results, expected) {
  const judged = results.map((result) => ({ ...result, reason: reasonFor(result, expected) }));
  const faults = judged.flatMap(({ side, set, scenario, status, words, reason }) => {
    const name = `${side} ${set} ${scenario}`;
    if (status === 'failed' && reason === undefined) return [`${name} fails: ${words.join('; ')}`];
    if (status === 'passed' && reason !== undefined) return [`${name} passes: take it off test/suite/expected.json`];
    return [];
  });
  return { judged, faults };
}

function reasonFor({ side, set, scenario }, expected) {
  const isMeant = (entry) => entry.side === side && entry.sets.includes(set) && entry.scenarios.includes(scenario);
  return expected.find(isMeant)?.reason;
}

/**
 * Sets what passes through the gateway beside what passes directly: what does not pass directly says nothing about the gateway. A scenario may
 * not apply to it: it answers a call with JSON where the server opens a stream of events.
 *
 * @returns the results directly, each with the status and words `through` the gateway, and the `faults` as sentences
 */
export function compareWays({ direct, through }) {
  const judged = direct.map((result) => ({
    ...result,
    through: through.find(({ scenario }) => scenario === result.scenario) ?? { status: 'failed', words: ['not run'] },
  }));
  const faults = judged
    .filter(({ status, through: other }) => status === 'passed' && other.status === 'failed')
    .map(
      ({ set, scenario, through: { words } }) =>
        `reference ${set} ${scenario} passes directly alone: ${words.join('; ')}`,
    );
  return { judged, faults };
}

/** What the list names that the suite does not have: entries that have outlived their scenario. */
export function findStale(results, expected) {
  const known = new Set(results.map(({ side, set, scenario }) => `${side} ${set} ${scenario}`));
  const ran = new Set(results.map(({ side, set }) => `${side} ${set}`));
  return expected
    .flatMap(({ side, sets, scenarios }) =>
      sets.flatMap((set) => scenarios.map((scenario) => ({ side, set, scenario }))),
    )
    .filter(({ side, set }) => ran.has(`${side} ${set}`))
    .map(({ side, set, scenario }) => `${side} ${set} ${scenario}`)
    .filter((name) => !known.has(name))
    .map((name) => `${name} is not in the suite: take it off test/suite/expected.json`);
}
