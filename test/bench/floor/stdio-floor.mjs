// The floor in front of one stdio child. node stdio-floor.mjs COMMAND [ARGS...]; prints {"listening":port} once it serves.
import { spawn } from 'node:child_process';
import { readLines } from '../process/read-lines.mjs';
import { OPENING, serveFloor } from './serve-floor.mjs';

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
child.on('exit', () => process.exit(1));
process.on('SIGTERM', () => {
  child.kill('SIGKILL');
  process.exit(0);
});

// Clients choose their ids by themselves, so the child sees ids of ours.
const waiting = new Map();
let lastId = 0;
readLines(child.stdout, (line) => {
  const answer = JSON.parse(line);
  const resolve = waiting.get(answer.id);
  waiting.delete(answer.id);
  resolve?.(answer);
});

function ask(message) {
  return new Promise((resolve) => {
    lastId += 1;
    waiting.set(lastId, resolve);
    child.stdin.write(`${JSON.stringify({ ...message, id: lastId })}\n`);
  });
}

async function forward(message) {
  if (message.id === undefined) return { status: 202, headers: {}, body: undefined };
  // The child is initialised once; every client gets the same answer.
  const answer = message.method === 'initialize' ? greeting : await ask(message);
  return { status: 200, headers: {}, body: { ...answer, id: message.id } };
}

const greeting = await ask(OPENING.initialize);
child.stdin.write(`${JSON.stringify(OPENING.initialized)}\n`);
await ask(OPENING.list);
await serveFloor(forward);
