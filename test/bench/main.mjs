// Measures the built gateway beside a bare forwarder. `npm run bench -- --help`; docs/performance.md tells the method.
import { cpus } from 'node:os';
import { startGenerator } from './load/start-generator.mjs';
import { PARTS, readOptions, SCENARIOS, USAGE } from './options.mjs';
import { judgeBars } from './report/bars.mjs';
import { renderReport } from './report/render-report.mjs';
import { writeDocument } from './report/write-document.mjs';
import { measureAnswers } from './scenario/answers.mjs';
import { measureCrash } from './scenario/crash.mjs';
import { measureGate } from './scenario/gate.mjs';
import { measureSafety } from './scenario/safety.mjs';
import { measureScale } from './scenario/scale.mjs';
import { measureSessions } from './scenario/sessions.mjs';
import { measureStart } from './scenario/start.mjs';
import { measureBig, measureHttp, measureStdio } from './scenario/throughput.mjs';
import { measureWatching } from './scenario/watching.mjs';

const MEASURES = {
  http: measureHttp,
  stdio: measureStdio,
  big: measureBig,
  gate: measureGate,
  answers: measureAnswers,
  start: measureStart,
  scale: measureScale,
  sessions: measureSessions,
  crash: measureCrash,
  watching: measureWatching,
  safety: measureSafety,
};

const options = readOptionsOrExit();
const started = performance.now();
const generator = startGenerator();
const faults = [];
const context = { generator, options, program: options.program, faults, progress };
const results = { machine: describeMachine() };
for (const name of [...SCENARIOS, ...PARTS].filter((scenario) => options.scenarios.includes(scenario))) {
  try {
    results[name] = await MEASURES[name](context);
  } catch (error) {
    // The figures of the others took minutes.
    faults.push(`${name} ended early: ${error.stack ?? error}`);
  }
}
await generator.stop();

results.seconds = Math.round((performance.now() - started) / 1000);
results.bars = judgeBars(results);
results.faults = faults;
const report = renderReport(results);
process.stdout.write(options.json ? `${JSON.stringify(results, null, 2)}\n` : report);
if (options.write) writeDocument(report, options.section);
for (const fault of faults) process.stderr.write(`WRONG ${fault}\n`);
// Figures are for people to judge, on their machine; a wrong answer is wrong everywhere.
process.exit(faults.length > 0 ? 1 : 0);

function readOptionsOrExit() {
  try {
    const read = readOptions(process.argv.slice(2));
    if (!read.help) return read;
    process.stdout.write(USAGE);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

function progress(text) {
  process.stderr.write(`${text}\n`);
}

function describeMachine() {
  const all = cpus();
  return { node: process.version, cores: all.length, processor: all[0]?.model.trim() ?? 'unknown' };
}
