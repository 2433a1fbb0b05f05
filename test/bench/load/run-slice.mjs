import { createReader } from './read-answer.mjs';
import { compileRequests, FIRST_ID, toolOf } from './write-request.mjs';

/** A target that answers wrongly is not worth its whole slice. */
const MAX_FAULTS = 3;

let nextId = FIRST_ID;

/**
 * Keeps `concurrency` calls in flight for `leadMs + durationMs` and counts those answered after the lead;
 * `maxCalls` ends it sooner.
 * @returns rate in calls/s, p50 and p99 in ms, `calls` of the whole slice, and `faults`: what was not answered rightly
 */
export function runSlice(client, target, payload, { concurrency, leadMs, durationMs, maxCalls }) {
  const requestOf = compileRequests(target, payload);
  const tools = payload.operations.map((operation) => toolOf(target, payload, operation));
  const read = createReader(target, payload);
  const latencies = [];
  const faults = [];
  const from = performance.now() + leadMs;
  const until = from + durationMs;
  let calls = 0;
  let inFlight = 0;

  return new Promise((resolve) => {
    const next = () => {
      const sent = performance.now();
      if (sent >= until || calls + inFlight >= maxCalls || faults.length >= MAX_FAULTS) {
        if (inFlight === 0) resolve({ ...summarize(latencies, durationMs), calls, faults });
        return;
      }
      const id = nextId++;
      inFlight += 1;
      client.send(requestOf(id), tools[id % tools.length], (answer) => {
        const now = performance.now();
        inFlight -= 1;
        calls += 1;
        const fault = answer.fault ?? read(id, answer).why;
        if (fault !== undefined) faults.push(fault);
        else if (now >= from && now <= until) latencies.push(now - sent);
        next();
      });
    };
    for (let worker = 0; worker < concurrency; worker += 1) next();
  });
}

function summarize(latencies, durationMs) {
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;
  return { rate: latencies.length / (durationMs / 1000), p50: at(0.5), p99: at(0.99) };
}
