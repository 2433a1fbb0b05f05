import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { JsonObject } from '../../src/base/json/json.js';
import type { Answer, McpClient } from './mcp-client.js';
import { type CliOutcome, runCli } from './run-cli.js';
import { REPOSITORY, type ServedGateway } from './served-gateway.js';

/** One step of a conversation in a document. */
export type TranscriptStep =
  | {
      readonly kind: 'call';
      readonly title: string;
      readonly tool: string;
      readonly request: string;
      /** The part that the document shows: the envelope's data, its error, or all of it. */
      readonly outcome: 'answer' | 'error' | 'envelope';
      readonly expected: string;
    }
  | { readonly kind: 'operator'; readonly title: string; readonly args: readonly string[] }
  /** What people got on a channel of theirs. */
  | { readonly kind: 'delivered'; readonly title: string; readonly expected: string };

const STEP =
  /```json request (\S+)\n(.*?)```[^`]*?```json (answer|error|envelope)\n(.*?)```|```sh operator\nmcp-aql-gateway ([^\n]*)\n```|```json delivered\n(.*?)```/gs;

/** What stands in a document for a value that each run has anew: the last one that was seen of this form. */
const PLACEHOLDERS: readonly (readonly [string, RegExp])[] = [
  ['conf_...', /\bconf_[\w-]{20,}/g],
  ['ap_...', /\bap_[\w-]{6,}/g],
  ['exec_...', /\bexec_[\w-]{20,}/g],
  ['CHALLENGE', /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g],
  ['VC-...', /\bVC(?:-[0-9A-Z]{4}){7}/g],
];

/**
 * The conversation in a document: each fenced `json request TOOL` with the `json answer`, `error` or `envelope` that follows,
 * each `sh operator` command, and each `json delivered` to people.
 */
export function readTranscript(document: string): readonly TranscriptStep[] {
  const text = readFileSync(join(REPOSITORY, document), 'utf8');
  return [...text.matchAll(STEP)].map(([, tool, request = '', outcome, expected = '', command, delivered]) => {
    if (delivered !== undefined) return { kind: 'delivered', title: 'delivered', expected: delivered };
    if (tool === undefined) return { kind: 'operator', title: command ?? '', args: (command ?? '').split(' ') };
    const title = request.replace(/\s+/g, ' ').slice(0, 80);
    return { kind: 'call', title, tool, request, outcome: outcome as 'answer' | 'error' | 'envelope', expected };
  });
}

/**
 * Plays steps one after the other against a gateway and compares every answer with the document.
 * @param delivered what people got last, as text
 */
export function createPlayer(
  gateway: ServedGateway,
  client: McpClient,
  delivered: () => Promise<string> = () => Promise.reject(new Error('nothing is delivered here')),
): (step: TranscriptStep) => Promise<void> {
  const seen = new Map<string, string>();
  const fillIn = (text: string): string =>
    [...seen].reduce((filled, [placeholder, value]) => filled.replaceAll(placeholder, value), text);
  const remember = (text: string): void => {
    for (const [placeholder, form] of PLACEHOLDERS) {
      const last = [...text.matchAll(form)].at(-1)?.[0];
      if (last !== undefined) seen.set(placeholder, last);
    }
  };
  const compare = (actual: unknown, expected: string): void => {
    const text = JSON.stringify(actual);
    remember(text);
    expect(actual, text).toMatchObject(JSON.parse(fillIn(expected), dropMoments) as JsonObject);
  };
  return async (step) => {
    if (step.kind === 'operator') {
      expect(await operate(gateway, step.args.map(fillIn))).toMatchObject({ code: 0, stderr: '' });
      return;
    }
    if (step.kind === 'delivered') return compare(JSON.parse(await delivered()), step.expected);
    const answer = await client.callTool(step.tool, JSON.parse(fillIn(step.request)));
    remember(JSON.stringify(answer.error ?? answer.data));
    compare({ answer: answer.data, error: answer.error, envelope: envelopeOf(answer) }[step.outcome], step.expected);
  };
}

function operate(gateway: ServedGateway, args: readonly string[]): Promise<CliOutcome> {
  const config = join(gateway.directory, 'gateway.config.json');
  return runCli([...args, '--config', config], { cwd: gateway.directory });
}

function envelopeOf({ raw }: Answer): unknown {
  const [first] = raw['content'] as readonly { readonly text: string }[];
  return JSON.parse(first?.text ?? 'null');
}

/** The moments that answers hold; those in a document are examples. */
const MOMENTS = new Set(['expires_at', 'started_at', 'finished_at', 'timestamp', 'since', 'issuedAt', 'expiresAt']);

function dropMoments(key: string, value: unknown): unknown {
  return MOMENTS.has(key) ? expect.any(String) : value;
}
