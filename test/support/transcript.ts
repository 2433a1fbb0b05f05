import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.js';
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
  | { readonly kind: 'operator'; readonly title: string; readonly args: readonly string[] };

const STEP =
  /```json request (\S+)\n(.*?)```[^`]*?```json (answer|error|envelope)\n(.*?)```|```sh operator\nmcp-aql-gateway ([^\n]*)\n```/gs;

/**
 * The conversation in a document: each fenced `json request TOOL` with the `json answer`, `error` or `envelope` that follows,
 * and each `sh operator` command. `conf_...` and `ap_...` stand for the last token and approval that were seen.
 */
export function readTranscript(document: string): readonly TranscriptStep[] {
  const text = readFileSync(join(REPOSITORY, document), 'utf8');
  return [...text.matchAll(STEP)].map(([, tool, request = '', outcome, expected = '', command]) =>
    tool === undefined
      ? { kind: 'operator', title: command ?? '', args: (command ?? '').split(' ') }
      : {
          kind: 'call',
          title: request.replace(/\s+/g, ' ').slice(0, 80),
          tool,
          request,
          outcome: outcome as 'answer' | 'error' | 'envelope',
          expected,
        },
  );
}

/** Plays steps one after the other against a gateway and compares every answer with the document. */
export function createPlayer(gateway: ServedGateway, client: McpClient): (step: TranscriptStep) => Promise<void> {
  let token = '';
  let approval = '';
  const fillIn = (text: string): string => text.replaceAll('conf_...', token).replaceAll('ap_...', approval);
  const remember = ({ error }: Answer): void => {
    const { confirmation_token: given, approval: asked } = error?.details ?? {};
    if (typeof given === 'string') token = given;
    const id = (asked as { readonly id?: string } | undefined)?.id;
    if (id !== undefined) approval = id;
  };
  return async (step) => {
    if (step.kind === 'operator') {
      expect(await operate(gateway, step.args.map(fillIn))).toMatchObject({ code: 0, stderr: '' });
      return;
    }
    const answer = await client.callTool(step.tool, JSON.parse(fillIn(step.request)));
    remember(answer);
    const expected = JSON.parse(fillIn(step.expected), dropMoments) as JsonObject;
    const part = { answer: answer.data, error: answer.error, envelope: envelopeOf(answer) }[step.outcome];
    expect(part, JSON.stringify(answer.error ?? answer.data)).toMatchObject(expected);
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

/** Dates in a document are examples. */
function dropMoments(key: string, value: unknown): unknown {
  return key === 'expires_at' ? expect.any(String) : value;
}
