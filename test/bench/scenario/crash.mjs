import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { wallClock } from '../load/watch-crash.mjs';
import { startNode } from '../process/children.mjs';
import { startHttpUpstream, stdioUpstreamArgs } from '../process/programs.mjs';
import { makeScratchDirectory } from '../process/scratch-directory.mjs';
import { startGateway } from '../process/start-gateway.mjs';
import { spread, sum } from '../statistics.mjs';

const TOOLS = 10;
const HTTP_DOWN_MS = 300;

/** Kills each upstream under load and watches the gateway get over it. */
export async function measureCrash(context) {
  return [await repeat(context, 'stdio', crashStdio), await repeat(context, 'HTTP', crashHttp)];
}

async function repeat(context, upstream, crash) {
  const logs = [];
  for (let round = 1; round <= context.options.crashes; round += 1) {
    context.progress(`crash: ${upstream}, ${round} of ${context.options.crashes}`);
    const log = await crash(context);
    const faults = [...log.wrong, ...log.broken];
    context.faults.push(...faults.map((why) => `crash of ${upstream}: ${why}`));
    logs.push(log);
  }
  const perCrash = (kind, key) => sum(logs.map((log) => log[kind][key])) / logs.length;
  return {
    upstream,
    crashes: logs.length,
    recovered: logs.every(({ recoveredAt }) => recoveredAt !== null),
    recoveryMs: spread(logs.map(({ recoveredAt, startableAt }) => (recoveredAt ?? Number.NaN) - startableAt)),
    ownStartMs: spread(logs.map(({ ownStartMs }) => ownStartMs ?? Number.NaN)),
    lost: {
      readInFlight: perCrash('read', 'lostInFlight'),
      readLater: perCrash('read', 'lostLater'),
      otherInFlight: perCrash('other', 'lostInFlight'),
      otherLater: perCrash('other', 'lostLater'),
      otherRetryable: perCrash('other', 'retryable'),
    },
    refusals: [...new Set(logs.flatMap(({ refusals }) => refusals))].slice(0, 3),
  };
}

/** The child can be started again the moment it is dead. */
async function crashStdio({ generator, program }) {
  const pidFile = join(makeScratchDirectory(), 'pid');
  const args = stdioUpstreamArgs(TOOLS, pidFile);
  const ownStartMs = await timeStart(stdioUpstreamArgs(TOOLS));
  const gateway = await startGateway(program, { command: process.execPath, args });
  await openCrashTarget(generator, gateway);
  const log = await generator.watchCrash('crash', Number(readFileSync(pidFile, 'utf8')));
  await generator.close('crash');
  await gateway.stop();
  return { ...log, startableAt: log.killedAt, ownStartMs };
}

/** The server is down for a while, and can be reached again when it listens. */
async function crashHttp({ generator, program }) {
  const upstream = await startHttpUpstream(TOOLS);
  const gateway = await startGateway(program, { type: 'http', url: upstream.url });
  await openCrashTarget(generator, gateway);
  const restarted = restartWhenDead(upstream);
  const log = await generator.watchCrash('crash', upstream.pid);
  const { again, listeningAt } = await restarted;
  await generator.close('crash');
  await Promise.all([gateway.stop(), again.stop()]);
  return { ...log, startableAt: listeningAt };
}

async function openCrashTarget(generator, { url }) {
  await generator.open({ name: 'crash', transport: 'http', url, speaks: 'operations' });
}

async function restartWhenDead({ child, port }) {
  await once(child, 'exit');
  await delay(HTTP_DOWN_MS);
  const again = await startHttpUpstream(TOOLS, port);
  return { again, listeningAt: wallClock() };
}

/** What the child alone needs from spawn to its first answer, which is the fastest possible recovery. */
async function timeStart(args) {
  const spawned = performance.now();
  return await new Promise((resolve, reject) => {
    const started = startNode(args, {
      onLine() {
        resolve(performance.now() - spawned);
        started.child.kill('SIGKILL');
      },
    });
    started.child.once('exit', () => reject(new Error(`the stdio upstream did not answer\n${started.log()}`)));
    started.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  });
}
