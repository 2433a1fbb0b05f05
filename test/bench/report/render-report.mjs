import { fixed, megabytes, ratio, signedSpread, whole } from './figures.mjs';
import { renderAnswers } from './render-answers.mjs';
import { renderTable } from './render-table.mjs';

/** The measurements as Markdown that reads well on a terminal too. Sections that were not measured are left out. */
export function renderReport(results) {
  const { machine, seconds, http = [], stdio = [], big = [] } = results;
  const { gate, answers, start, scale, sessions, crash, watching, safety, bars } = results;
  const sections = [
    `Node ${machine.node}, ${machine.cores} cores (${machine.processor}), measured in ${seconds} s.`,
    ...(http.length + stdio.length + big.length > 0 ? [renderThroughput([...http, ...stdio, ...big])] : []),
    ...(gate === undefined ? [] : [renderGate(gate)]),
    ...(answers === undefined ? [] : [renderAnswers(answers)]),
    ...(start === undefined ? [] : [renderStart(start)]),
    ...(scale === undefined ? [] : [renderScale(scale)]),
    ...(sessions === undefined ? [] : [renderSessions(sessions)]),
    ...(crash === undefined ? [] : [renderCrash(crash)]),
    ...(watching === undefined ? [] : [renderWatching(watching)]),
    ...(safety === undefined ? [] : [renderSafety(safety)]),
    ...(bars.length === 0 ? [] : [renderBars(bars)]),
  ];
  return `${sections.join('\n\n')}\n`;
}

function renderThroughput(rows) {
  return [
    'Rate, p50 and p99 over the floor: median of the rounds (smallest-largest).',
    '',
    renderTable(
      [
        'path',
        'payload',
        'at once',
        'direct',
        'gateway',
        'gateway, stateless client',
        'p50',
        'p99',
        'floor, calls/s',
        'floor, CPU us a call',
        'gateway, CPU us a call',
      ],
      rows.map((row) => [
        row.path,
        row.payload,
        row.concurrency,
        ratio(row.rate.direct, false),
        ratio(row.rate.gateway),
        ratio(row.rate.modern),
        ratio(row.p50),
        ratio(row.p99),
        whole(row.floorRate.median),
        whole(row.cpu.floor),
        whole(row.cpu.gateway),
      ]),
    ),
  ].join('\n');
}

function renderGate({ baseline, wholeCall, rows }) {
  const whole = wholeCall.median === undefined ? 'not known here' : `${fixed(wholeCall.median / 1000, 0)} us`;
  return [
    'What an allowed READ pays for policy: CPU over a gate that lets everything through unseen ' +
      `(the pipeline alone: ${fixed(baseline.median, 0)} ns a call), and its share of a whole call ` +
      `(HTTP -> HTTP, echo 64 B, 16 at once: ${whole}).`,
    '',
    renderTable(
      ['gate', 'more CPU, ns a call', 'share of a whole call, %'],
      rows.map(({ label, added, share }) => [label, signedSpread(added, 1, 0), signedSpread(share, 100, 2)]),
    ),
  ].join('\n');
}

function renderWatching(rows) {
  return [
    'What it costs to watch the gateway (HTTP -> HTTP, echo 64 B, 16 at once), over one that is not watched.',
    '',
    renderTable(
      ['watched by', 'rate', 'CPU us a call', 'more CPU, %'],
      rows.map(({ name, rate, cpu, more }) => [name, ratio(rate), whole(cpu), fixed(100 * more, 1)]),
    ),
  ].join('\n');
}

function renderSafety(rows) {
  return [
    'What the safety loop costs a call while no agent runs, and in the last row what the report of a step costs in its place (HTTP -> HTTP, echo 64 B, 16 at once, state in SQLite), over a gateway without it.',
    '',
    renderTable(
      ['mode', 'rate', 'CPU us a call', 'more CPU, %'],
      rows.map(({ name, rate, cpu, more }) => [name, ratio(rate), whole(cpu), fixed(100 * more, 1)]),
    ),
  ].join('\n');
}

function renderScale({ sizes, list }) {
  return [
    renderTable(
      [
        'upstream tools',
        'ready, ms',
        'ready / floor',
        'memory at start, MB',
        'after 1,000 calls, MB',
        `call rate / rate at ${sizes[0].tools}`,
        'CPU us a call',
      ],
      sizes.map(({ tools, ready, memory, cost }) => [
        tools.toLocaleString('en'),
        whole(ready.gatewayMs.median),
        ratio(ready.ratio),
        megabytes(memory.atStart),
        megabytes(memory.afterCalls),
        ratio(cost.rate),
        whole(cost.cpu),
      ]),
    ),
    '',
    `\`tools/list\` with ${list.tools.toLocaleString('en')} upstream tools, 16 at once: ${whole(list.gateway.median)} a second ` +
      `(the floor, which forwards all of them: ${whole(list.floor.median)}).`,
  ].join('\n');
}

function renderStart(sizes) {
  return renderTable(
    [
      'upstream tools',
      'floor ready, ms',
      'gateway ready, ms',
      'ready / floor',
      'floor at start, MB',
      'gateway at start, MB',
    ],
    sizes.map(({ tools, floorMs, gatewayMs, ratio: toFloor, floorKilobytes, gatewayKilobytes }) => [
      tools.toLocaleString('en'),
      whole(floorMs.median),
      whole(gatewayMs.median),
      ratio(toFloor),
      megabytes(floorKilobytes.median),
      megabytes(gatewayKilobytes.median),
    ]),
  );
}

function renderSessions(counts) {
  return renderTable(
    ['idle sessions', 'resident memory, kB each', 'live heap, kB each'],
    counts.map(({ sessions, residentKilobytes, liveKilobytes }) => [
      sessions.toLocaleString('en'),
      fixed(residentKilobytes, 1),
      fixed(liveKilobytes, 1),
    ]),
  );
}

function renderCrash(rows) {
  return [
    'Calls lost per crash with 16 in flight, half of them READ; recovery is from the moment the server can be started or reached again to the first success.',
    '',
    renderTable(
      [
        'killed upstream',
        'recovery, ms',
        "server's own start, ms",
        'READ lost in flight',
        'READ refused later',
        'others lost in flight',
        'others refused later',
        'of these marked retryable',
      ],
      rows.map(({ upstream, recovered, recoveryMs, ownStartMs, lost }) => [
        upstream,
        recovered ? `${whole(recoveryMs.median)} (${whole(recoveryMs.min)}-${whole(recoveryMs.max)})` : 'never',
        whole(ownStartMs.median),
        fixed(lost.readInFlight, 1),
        fixed(lost.readLater, 1),
        fixed(lost.otherInFlight, 1),
        fixed(lost.otherLater, 1),
        fixed(lost.otherRetryable, 1),
      ]),
    ),
  ].join('\n');
}

function renderBars(bars) {
  return renderTable(
    ['bar', 'measured', 'holds'],
    bars.map(({ name, value, holds }) => [name, fixed(value, 2), holds ? 'yes' : 'NO']),
  );
}
