import { OperationError } from './operation-error.js';

/** The payload limits of specification 4.7.5; bytes, elements and levels. */
export interface PayloadLimits {
  readonly maxRequestSize: number;
  readonly maxResponseSize: number;
  readonly maxStringLength: number;
  readonly maxArrayElements: number;
  readonly maxNestingDepth: number;
}

/** What a message is held against before it is parsed. `maxValues` are those of all its lists and objects together. */
export interface MessageLimits extends Pick<PayloadLimits, 'maxRequestSize' | 'maxArrayElements' | 'maxNestingDepth'> {
  readonly maxValues: number;
}

/** The limits by their published names: what is counted, and the setting that bounds it. */
const LIMITS = {
  request_size: { unit: 'bytes', setting: 'maxRequestSize' },
  response_size: { unit: 'bytes', setting: 'maxResponseSize' },
  string_length: { unit: 'bytes', setting: 'maxStringLength' },
  array_elements: { unit: 'elements', setting: 'maxArrayElements' },
  // Ours: the specification bounds lists alone, and an object of very many members costs more.
  object_members: { unit: 'members', setting: 'maxArrayElements' },
  nesting_depth: { unit: 'levels', setting: 'maxNestingDepth' },
  // Ours, too: a megabyte can hold half a million values, in lists that are each short enough.
  values: { unit: 'values', setting: 'maxValues' },
} as const satisfies Record<
  string,
  { readonly unit: string; readonly setting: keyof PayloadLimits | keyof MessageLimits }
>;

/** The specified refusal of a payload (4.7.5), with the limit, its value, the actual value, and the setting that an operator raises. */
export function payloadTooLarge(
  type: keyof typeof LIMITS,
  actual: number,
  limits: Partial<PayloadLimits & MessageLimits>,
): OperationError {
  const { unit, setting } = LIMITS[type];
  const limit = limits[setting] ?? 0;
  return new OperationError('VALIDATION_PAYLOAD_TOO_LARGE', `Payload exceeds ${type} limit of ${limit}`, {
    limit_type: type,
    limit_value: limit,
    actual_value: actual,
    unit,
    setting: `limits.${setting}`,
  });
}

/** How large answers are sent, and what is kept of the rest. */
export interface AnswerLimits {
  /** Tokens of an answer's data, as estimated, beyond which it is sent in parts; 0 sends everything whole. */
  readonly maxTokens: number;
  /** Bytes of big answers and of pages that are kept, for all callers together. */
  readonly keptBytes: number;
  readonly keptSeconds: number;
  /** Uniform lists as columns and rows where that saves at least a fifth. */
  readonly compact: boolean;
}

/** Levels of nesting that are read as JSON; a text that is nested deeper stays a text. */
export const MAX_ANSWER_DEPTH = 512;

/** What an upstream's answer said about its own rate limit. */
export interface AnnouncedLimits {
  /** The status of the answer, where that tells callers to wait: 429 is a limit, 503 an outage. */
  readonly status?: number;
  /** The upstream asks for no calls during this time. */
  readonly retryAfterSeconds?: number;
  /** Calls that it still accepts before `resetsAt`. */
  readonly remaining?: number;
  /** Milliseconds since the epoch. */
  readonly resetsAt?: number;
}
