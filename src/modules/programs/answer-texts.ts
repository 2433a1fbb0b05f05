import { quoteInexact } from '../../base/json/exact-numbers.js';
import { findMember } from '../../base/json/scan.js';
import { OperationError } from '../../base/protocol/operation-error.js';
import type { OperationFailure, Reply, Warning } from '../../base/protocol/result.js';
import { type IssuedCall, nameOf } from './calls.js';

const MOST_WARNINGS = 20;

/** Makes texts that a program gets of the answers to its calls, and notes what it does not see. */
export class AnswerTexts {
  #left: number;
  readonly #maxBytes: number;
  readonly #warnings = new Map<string, Warning>();

  /** @param maxBytes of all answers together */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#left = maxBytes;
  }

  get warnings(): readonly Warning[] {
    return [...this.#warnings.values()];
  }

  /** The JSON of an `OperationResult`. Numbers that the program's language would change are texts. */
  textOf(call: IssuedCall, reply: Reply): string {
    if (reply.blocks.length > 0) this.#note(call, blocksWarning(call, reply.blocks.length));
    const text = reply.code === 'VALIDATION_ENDPOINT_MISMATCH' ? respell(call, reply.text) : quoteInexact(reply.text);
    const bytes = Buffer.byteLength(text);
    if (bytes > this.#left) return JSON.stringify(this.#tooMuch(call, bytes).toFailure());
    this.count(call, text);
    return text;
  }

  /** Counts an answer that the program gets, as one that was recorded. */
  count(call: IssuedCall, text: string): void {
    this.#left -= Buffer.byteLength(text);
    const found = text.includes('"warnings":[') ? findMember(text, 0, 'warnings') : undefined;
    // The rest of it is not parsed in this thread.
    const warnings = found && (JSON.parse(text.slice(found.start, found.end)) as readonly Warning[]);
    for (const warning of warnings ?? []) this.#note(call, warning);
  }

  #note(call: IssuedCall, warning: Warning): void {
    const key = `${warning.code} ${nameOf(call)}`;
    if (this.#warnings.has(key) || this.#warnings.size >= MOST_WARNINGS) return;
    this.#warnings.set(key, { ...warning, details: { ...warning.details, operation: nameOf(call) } });
  }

  #tooMuch(call: IssuedCall, bytes: number): OperationError {
    return new OperationError(
      'VALIDATION_PAYLOAD_TOO_LARGE',
      `'${nameOf(call)}' has run, and its answer of ${bytes} bytes is not given: the answers of one program may have ${this.#maxBytes} bytes together. Ask for less, with fields, filter or limit`,
      { operation: nameOf(call), reason: 'program_answers', outcome: 'ran', setting: 'programs.maxAnswerBytes' },
    );
  }
}

/** In a program there are no tools, but functions. */
function respell(call: IssuedCall, text: string): string {
  const { error } = JSON.parse(text) as OperationFailure;
  const family = String(error.details?.['expected_endpoint']);
  const message = `'${nameOf(call)}' is called as aql.${family}("${nameOf(call)}", params), not as aql.${call.family ?? 'call'}`;
  return JSON.stringify({ success: false, error: { code: error.code, message, details: { family } } });
}

function blocksWarning(call: IssuedCall, blocks: number): Warning {
  return {
    code: 'PROGRAM_BLOCKS_LEFT_WARNING',
    message: `The answer of '${nameOf(call)}' has ${blocks} images, sounds or files, which programs do not get`,
    severity: 'medium',
  };
}
