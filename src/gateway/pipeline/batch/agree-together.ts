import type { JsonObject } from '../../../base/json/json.js';
import type { RawCall } from '../../../base/protocol/call.js';
import type { SharedConsent } from '../../../base/protocol/consent.js';
import { OperationError } from '../../../base/protocol/operation-error.js';
import type { OperationFailure, Reply } from '../../../base/protocol/result.js';
import type { JointConsent } from '../../../policy/rules/policy-types.js';
import { paramsOf } from '../decode.js';
import { CONFIRMATION, PLAIN_CONFIRMATION } from '../directive-names.js';
import { shapeFailure } from '../shape.js';
import {
  type AheadDeps,
  type ComingItem,
  type CoveredCall,
  confirmationOf,
  coveredTogether,
  mayAsk,
} from './ask-ahead.js';
import type { BatchItem } from './items.js';
import type { SettledRun } from './pending.js';
import { createResultReader, resolveItem } from './references.js';

/** The items of a batch, and what was agreed about several of them with one answer. */
interface AgreedBatch {
  readonly items: readonly BatchItem[];
  readonly consent?: SharedConsent;
}

/**
 * Reads the agreements to several operations with which a batch begins: the token that the caller sends back, and the answer of the
 * client's user, who is asked here. Nothing has run yet, so a client that asks its user and calls again repeats nothing.
 *
 * @throws OperationError where the token is not for this batch: what was agreed to is not what would run
 */
export async function agreeTogether(
  items: readonly BatchItem[],
  { user, caller }: Pick<RawCall, 'user' | 'caller'>,
  joint: JointConsent,
  deps: AheadDeps,
): Promise<AgreedBatch> {
  const opened = await openToken(items, caller, joint, deps);
  const coveredByToken = new Set(opened?.covered.map(({ index }) => index));
  const others = (opened?.items ?? items).filter(({ index }) => !coveredByToken.has(index)).map(comingAtStart);
  const asked = user === undefined ? [] : await coveredTogether(others, 'human', deps);
  // A single operation asks when its turn comes where its client can be asked then.
  const byUser =
    user === undefined || asked.length < (user.kind === 'live' ? 2 : 1)
      ? undefined
      : await joint.askUser(requestsOf(asked), user);
  // Last, so that a client that has to call again keeps its token.
  const byToken = opened && (await joint.redeem(opened.token, requestsOf(opened.covered)));
  const consents = [byUser, byToken].filter((consent) => consent !== undefined);
  return { items: opened?.items ?? items, ...(consents.length === 0 ? {} : { consent: firstOf(consents) }) };
}

interface OpenedToken {
  readonly token: string;
  /** The item that brought the token is complete, and has it no longer. */
  readonly items: readonly BatchItem[];
  readonly covered: readonly CoveredCall[];
}

/** Undefined where no item brings such a token. The token is not used up yet. */
async function openToken(
  items: readonly BatchItem[],
  caller: RawCall['caller'],
  joint: JointConsent,
  deps: AheadDeps,
): Promise<OpenedToken | undefined> {
  for (const [position, item] of items.entries()) {
    const token = item.fault === undefined ? confirmationOf(item.request) : undefined;
    if (typeof token !== 'string' || !joint.isJointToken(token)) continue;
    const first = await completeItem(item, token, caller, joint);
    const following = items.slice(position + 1);
    const { known } = comingAtStart(first);
    if (known === undefined) return undefined;
    const call = { index: item.index, request: await deps.foresee(known) };
    const covered = [call, ...(await coveredTogether(following.map(comingAtStart), 'token', deps))];
    return { token, items: [...items.slice(0, position), first, ...following], covered };
  }
  return undefined;
}

/** The item without its token, with the params that are kept under the token where it came alone. */
async function completeItem(
  item: BatchItem,
  token: string,
  caller: RawCall['caller'],
  joint: JointConsent,
): Promise<BatchItem> {
  const { operation } = item.request;
  const { [CONFIRMATION]: _metadata, [PLAIN_CONFIRMATION]: _plain, ...params } = paramsOf(item.request) ?? {};
  const kept = Object.keys(params).length === 0 ? await joint.recall(token, caller) : undefined;
  // What is kept has its values already; a text of a server is not a reference.
  return kept === undefined
    ? { ...item, request: { operation, params } }
    : { ...item, request: { operation, params: kept }, isSpecial: false };
}

/** An item before anything has run: with a reference in it, its arguments are not known. */
function comingAtStart(item: BatchItem): ComingItem {
  const { index, operation } = item;
  return { index, operation, known: item.fault === undefined ? requestAtStart(item) : undefined };
}

function requestAtStart(item: BatchItem): JsonObject | undefined {
  try {
    return resolveItem(item, createResultReader([]));
  } catch (thrown) {
    if (thrown instanceof OperationError) return undefined;
    throw thrown;
  }
}

function requestsOf(covered: readonly CoveredCall[]) {
  return covered.map(({ request }) => request);
}

function firstOf(consents: readonly SharedConsent[]): SharedConsent {
  return {
    take(call) {
      for (const consent of consents) {
        const answer = consent.take(call);
        if (answer !== undefined) return answer;
      }
      return undefined;
    },
  };
}

/** A question about several operations in place of the halted one's own. */
export interface JointQuestion {
  readonly reply: Reply;
  /** The indexes of the operations that it is about. */
  readonly covers: readonly number[];
  /** How many others may ask when their turns come. */
  readonly left: number;
}

/** Undefined where the halted operation asks alone: no other one asks for a token, or it is a person or a quota that it waits for. */
export async function askTogether(
  { replies, haltedAt, halted, pending }: SettledRun,
  joint: JointConsent,
  deps: AheadDeps,
): Promise<JointQuestion | undefined> {
  const reply = haltedAt === undefined ? undefined : replies[haltedAt];
  const token = reply === undefined ? undefined : ownToken(reply);
  if (haltedAt === undefined || halted === undefined || token === undefined) return undefined;
  const coming = pending.map(({ item: { index, operation }, known }) => ({ index, operation, known }));
  const covered = await coveredTogether(coming, 'token', deps);
  if (covered.length === 0) return undefined;
  try {
    const request = await deps.foresee(halted);
    const question = await joint.askCaller([request, ...requestsOf(covered)], token);
    const covers = [haltedAt, ...covered.map(({ index }) => index)];
    const left = coming.filter((item) => !covers.includes(item.index) && mayAsk(item, deps)).length;
    return { reply: shapeFailure(question, undefined), covers, left };
  } catch (thrown) {
    // The caller's questions of this minute are used up, or the store is out of reach: the operation's own question stands.
    if (thrown instanceof OperationError) return undefined;
    throw thrown;
  }
}

/** The token of a question that was just asked; a waiting time that is not over has no new question. */
function ownToken({ code, text }: Reply): string | undefined {
  if (code !== 'CONFIRMATION_REQUIRED') return undefined;
  const { requires, confirmation_token: token } = (JSON.parse(text) as OperationFailure).error.details ?? {};
  return requires === 'token' && typeof token === 'string' ? token : undefined;
}
