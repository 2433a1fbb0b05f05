import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Pieces } from '../../base/json/pieces.js';
import { CHAIN_VARIABLE, OWN_CHAIN } from '../../base/protocol/gateway-chain.js';
import { LargeMessage } from '../../base/protocol/large-answer.js';
import { PacedQueue } from '../../base/turns/turns.js';
import { UpstreamFault } from './fault.js';
import { describeLastWords, KEPT_LINES } from './last-words.js';
import { adoptGroup, CHILD_MARK, killMarked, newChildMark, releaseGroup, signalGroup } from './process-groups.js';
import type { ResolvedCommand } from './resolve-command.js';
import type { UpstreamTransport } from './transport.js';
import {
  EDGE_BYTES,
  readMessageId,
  readMessages,
  recogniseMessage,
  type SkippedLine,
  splitByteLines,
  splitLines,
  type WrittenMessage,
  writeMessage,
} from './wire-messages.js';

/**
 * How long a server may take to end by itself after its input ended and after SIGTERM, and how long what it left behind may.
 * Processes that are dead but that nobody has collected (a container without an init) look alive, so the last two are short.
 */
const GRACE_MS = { afterEnd: 600, afterTerm: 1_000, leftBehind: 200, afterKill: 200 };
/** How long output may still come after the process has ended. */
const LAST_OUTPUT_MS = 100;
const MAX_STDERR_LINE_BYTES = 16 * 1024;

interface StdioTransportOptions {
  readonly command: ResolvedCommand;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A line on stdout that is longer is not kept, and fails the call that it answers. */
  readonly maxAnswerBytes: number;
  readonly onStderr: (line: string) => void;
  /** The user and group that it runs as, where they are not the gateway's own. */
  readonly identity?: { readonly uid?: number; readonly gid?: number };
  /** Watches the process once it runs, and may end it; returns what ends the watch. */
  readonly watch?: ((pid: number, end: (fault: UpstreamFault) => void) => () => void) | undefined;
  /** A line on stdout that is not JSON-RPC. */
  readonly onNoise: (line: string) => void;
}

/** Units of work that a line costs beside its bytes: it is decoded, parsed and passed on. */
const LINE_UNITS = 200;

/** A large message is not read here. */
function costOf(line: Pieces | LargeMessage): number {
  return line instanceof LargeMessage ? LINE_UNITS : line.reduce((sum, { length }) => sum + length, LINE_UNITS);
}

const LINE_END = Buffer.from('\n');

const DELIVERED = Promise.resolve();

/** An MCP server as a child process with a process group of its own, spoken to in lines of JSON. */
export class StdioTransport implements UpstreamTransport {
  readonly kind = 'stdio';
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  onmessage?: Transport['onmessage'];
  onlost?: UpstreamTransport['onlost'];
  onoversize?: UpstreamTransport['onoversize'];
  onlarge?: UpstreamTransport['onlarge'];
  onanswer?: UpstreamTransport['onanswer'];
  onmalformed?: UpstreamTransport['onmalformed'];
  admits?: UpstreamTransport['admits'];

  readonly #options: StdioTransportOptions;
  readonly #lastWords: string[] = [];
  readonly #mark = newChildMark();
  #output: PacedQueue<Pieces | LargeMessage> | undefined;
  #chunksSeen = 0;
  #child: ChildProcessWithoutNullStreams | undefined;
  #drained: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #lost = false;
  #exited: () => void = () => {};
  readonly #exit = new Promise<void>((resolve) => {
    this.#exited = resolve;
  });

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  get activity(): number {
    return this.#chunksSeen;
  }

  async start(): Promise<void> {
    const { command, cwd, env, identity } = this.#options;
    const child = spawn(command.file, command.args, {
      cwd,
      ...identity,
      env: { ...env, [CHILD_MARK]: this.#mark, [CHAIN_VARIABLE]: OWN_CHAIN },
      stdio: 'pipe',
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: command.verbatim === true,
    });
    this.#child = child;
    child.stdin.on('error', (cause) => void this.#afterInputFault(cause));
    for (const output of [child.stdout, child.stderr]) output.on('error', (cause) => this.onerror?.(cause));
    const pid = await new Promise<number>((resolve, reject) => {
      child.once('spawn', () => resolve(child.pid ?? 0));
      child.once('error', (cause) =>
        reject(new UpstreamFault('command', `could not be started: ${cause.message}`, { cause })),
      );
    });
    this.#attend(child, pid);
  }

  #attend(child: ChildProcessWithoutNullStreams, pid: number): void {
    adoptGroup(pid);
    const unwatch = this.#options.watch?.(pid, (fault) => this.#break(fault));
    if (unwatch !== undefined) child.once('exit', unwatch);
    child.stdout.on('data', this.#readOutput(child.stdout));
    child.stderr.on('data', this.#readStderr(child.stderr));
    child.on('error', (error) => this.onerror?.(error));
    child.once('exit', (code, signal) => void this.#afterExit(child, pid, code, signal));
  }

  #readOutput(source: Readable): (chunk: Buffer) => void {
    const { maxAnswerBytes } = this.#options;
    const lines = this.#pace(source, costOf, (line) => this.#receive(line));
    this.#output = lines;
    const split = splitByteLines({
      maxBytes: maxAnswerBytes,
      onSkipped: (line) => this.#reportSkipped(line),
      onEndless: () => this.#break(new UpstreamFault('malformed', 'it sends a line that does not end')),
    });
    return (chunk) => {
      this.#chunksSeen += 1;
      lines.pushAll(split(chunk), chunk.length);
    };
  }

  #readStderr(source: Readable): (chunk: Buffer) => void {
    const lines = this.#pace<string>(
      source,
      () => LINE_UNITS,
      (line) => this.#hear(line),
    );
    const split = splitLines({
      maxBytes: MAX_STDERR_LINE_BYTES,
      onOverflow: (start) => this.#hear(start.toString('utf8')),
    });
    // A last line may have no end.
    source.once('end', () => lines.pushAll(split(LINE_END)));
    return (chunk) => lines.pushAll(split(chunk), chunk.length);
  }

  /** A server may print lines faster than they can be read. */
  #pace<Line>(source: Readable, costOf: (line: Line) => number, handle: (line: Line) => void): PacedQueue<Line> {
    return new PacedQueue({
      handle,
      costOf,
      lane: this.#mark,
      source,
      onFault: (fault) => this.onerror?.(fault instanceof Error ? fault : new Error(String(fault))),
    });
  }

  #reportSkipped(line: SkippedLine): void {
    const id = readMessageId(line);
    if (id === undefined) this.#options.onNoise(`(a line of ${line.bytes} bytes, which was skipped)`);
    this.onoversize?.(id);
  }

  #receive(bytes: Pieces | LargeMessage): void {
    const message = recogniseMessage(bytes);
    if (typeof message === 'string') this.#receiveText(message);
    else if (message instanceof LargeMessage) this.#receiveLarge(message);
    else this.onanswer?.(message);
  }

  #receiveLarge(message: LargeMessage): void {
    const id = readMessageId(message.edges(EDGE_BYTES));
    if (id === undefined) this.#options.onNoise(`(a message of ${message.length} bytes that answers nothing)`);
    else this.onlarge?.(message, id);
  }

  #receiveText(line: string): void {
    if (this.admits?.(line) === false) return;
    const messages = messagesOn(line);
    if (messages === undefined) {
      if (line.trim() !== '') this.#reportUnreadable(line);
    } else {
      for (const message of messages) this.onmessage?.(message);
    }
  }

  #reportUnreadable(line: string): void {
    this.#options.onNoise(line);
    const { ids, why } = readUnreadable(line);
    for (const id of ids) this.onmalformed?.(id, why);
  }

  #hear(line: string): void {
    this.#lastWords.push(line.slice(0, 500));
    if (this.#lastWords.length > KEPT_LINES) this.#lastWords.shift();
    this.#options.onStderr(line);
  }

  /** A crash breaks the pipe a moment before the exit is known, and the exit says more. */
  async #afterInputFault(cause: Error): Promise<void> {
    await delay(LAST_OUTPUT_MS);
    if (this.#child !== undefined && hasExited(this.#child)) return;
    this.#break(new UpstreamFault('lost', 'it closed its input', { cause }));
  }

  /** The pipe is of no more use: says why and ends the process. */
  #break(fault: UpstreamFault): void {
    this.#lose(fault);
    void this.close();
  }

  #lose(fault: UpstreamFault): void {
    if (this.#lost) return;
    this.#lost = true;
    this.onlost?.(fault);
  }

  async #afterExit(
    child: ChildProcessWithoutNullStreams,
    pid: number,
    code: number | null,
    signal: string | null,
  ): Promise<void> {
    if (this.#closing === undefined) {
      // Descendants of a server that crashed serve nobody; while closing they get the same grace as their parent.
      signalGroup(pid, 'SIGKILL');
      const closed = new Promise((resolve) => child.once('close', resolve)).then(() => this.#output?.empty());
      await Promise.race([closed, delay(LAST_OUTPUT_MS)]);
      releaseGroup(pid);
      await killMarked(this.#mark);
    }
    this.#lose(new UpstreamFault('exited', describeExit(code, signal, this.#lastWords)));
    this.#exited();
    this.onclose?.();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#lost || this.#closing !== undefined) return Promise.reject(processEnded());
    // The process is gone but its last output is still coming; the refusal waits until the loss is known to all.
    if (hasExited(child)) return this.#exit.then(() => Promise.reject(processEnded()));
    const { stdin } = child;
    gatherWrites(stdin);
    if (writeLine(stdin, writeMessage(message))) return DELIVERED;
    // One wait for all: a listener for each waiting message would be a leak under load.
    this.#drained ??= new Promise((resolve) => {
      const done = (): void => {
        this.#drained = undefined;
        stdin.off('drain', done);
        stdin.off('close', done);
        resolve();
      };
      stdin.once('drain', done);
      stdin.once('close', done);
    });
    return this.#drained;
  }

  /** Ends the input, then asks, then forces: the server, and whatever it started, is gone when this resolves. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return this.onclose?.();
    const { pid } = child;
    const gone = (): boolean => hasExited(child);
    child.stdin.end();
    const ended = await holdsWithin(GRACE_MS.afterEnd, gone);
    if (signalGroup(pid, 'SIGTERM')) {
      await holdsWithin(ended ? GRACE_MS.leftBehind : GRACE_MS.afterTerm, () => gone() && !signalGroup(pid, 0));
    }
    if (signalGroup(pid, 'SIGKILL')) await holdsWithin(GRACE_MS.afterKill, () => !signalGroup(pid, 0));
    if (!gone()) await this.#exit;
    releaseGroup(pid);
    await killMarked(this.#mark);
  }
}

/** Messages of one turn go out in one write, which costs more than all the rest of sending a short one. */
function gatherWrites(stream: Writable): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** Whether the reader keeps up. The stream keeps the pieces together. */
function writeLine(stream: Writable, message: WrittenMessage): boolean {
  if (typeof message === 'string') return stream.write(`${message}\n`);
  for (const piece of message) stream.write(piece);
  return stream.write('\n');
}

function hasExited({ exitCode, signalCode }: ChildProcessWithoutNullStreams): boolean {
  return exitCode !== null || signalCode !== null;
}

function processEnded(): UpstreamFault {
  return new UpstreamFault('lost', 'its process has ended', { undelivered: true });
}

async function holdsWithin(ms: number, condition: () => boolean): Promise<boolean> {
  const until = performance.now() + ms;
  for (let pause = 2; performance.now() < until; pause = Math.min(pause * 2, 50)) {
    if (condition()) return true;
    await delay(pause);
  }
  return condition();
}

/** The line as one JSON-RPC message or a batch (MCP 2025-03-26); undefined for a banner, a log line, anything else. */
function messagesOn(line: string): readonly JSONRPCMessage[] | undefined {
  try {
    const messages = readMessages(line);
    return messages.length > 0 && messages.every(({ jsonrpc }) => jsonrpc === '2.0') ? messages : undefined;
  } catch {
    return undefined;
  }
}

function describeExit(code: number | null, signal: string | null, lastWords: readonly string[]): string {
  const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
  return `${how}${describeLastWords(lastWords)}`;
}

const NUL = '\0';

/**
 * Where an answer begins that writes its id before its result, as most SDKs do: at the start of a line, or behind another message. Within a
 * message that is JSON nothing looks like the latter: a text spells quotes with backslashes, and no value follows another without a comma.
 */
const ANSWER_START =
  /(?:^|\})\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(?:(-?\d+)|"([^"\\]*)")\s*,\s*"(?:result|error)"/g;

/** What is known of a line that is no message of MCP. */
interface UnreadableLine {
  /** Of the answers that it seems to hold. */
  readonly ids: readonly (string | number)[];
  /** What is wrong with it. */
  readonly why: string;
}

/** Looks for the answers in a line that could not be parsed, so that those who wait for them learn at once that there are none. */
export function readUnreadable(line: string): UnreadableLine {
  const hasNul = line.includes(NUL);
  const text = hasNul ? line.replaceAll(NUL, '') : line;
  const ids = [...text.matchAll(ANSWER_START)].map(([, number, name = '']) =>
    number === undefined ? name : Number(number),
  );
  if (hasNul) return { ids, why: 'its line holds NUL bytes, as text in another encoding than UTF-8 does' };
  if (ids.length > 1)
    return { ids, why: 'it stands on one line with another message, and each message has to be on a line of its own' };
  return { ids, why: 'its line is not valid JSON' };
}
