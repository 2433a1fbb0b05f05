import type { JsonObject } from '../../../base/json/json.js';
import type { Cancellation } from '../../../base/protocol/cancellation.js';
import { OperationError } from '../../../base/protocol/operation-error.js';
import type { OperationFailure, Reply } from '../../../base/protocol/result.js';
import type { AheadQuestion, BatchPolicy, Gatekeeper, PolicyRequest } from '../../../policy/rules/policy-types.js';
import { paramsOf } from '../decode.js';
import { CONFIRMATION, PLAIN_CONFIRMATION } from '../directive-names.js';
import type { Snapshot } from '../snapshot.js';
import { mayBeAsked } from '../validate.js';

/** What policy says of the operations of a batch before their turns. */
export type ForeseeingPolicy = BatchPolicy & Pick<Gatekeeper, 'staticDecision'>;

/** An item whose turn has not come. */
export interface ComingItem {
  readonly index: number;
  readonly operation: string;
  /** As its call is sent; undefined while it uses the result of what has not run. */
  readonly known: JsonObject | undefined;
}

export interface AheadDeps {
  readonly policy: ForeseeingPolicy;
  /** The request of an item as policy judges it. Rejects where it would be refused before that. */
  readonly foresee: (request: JsonObject) => Promise<PolicyRequest>;
  readonly catalog: Pick<Snapshot['catalog'], 'find'>;
  readonly cancellation: Cancellation;
  /** Called with thrown values that are not an `OperationError`. */
  readonly onDefect: (cause: unknown) => void;
}

export interface AskedAhead {
  readonly questions: ReadonlyMap<number, AheadQuestion>;
  /** How many more may ask, and were not asked about. */
  readonly left: number;
}

/**
 * The most operations of one batch that are looked at before their turns: their questions are read, and their tokens kept, at one
 * time. A third of the questions that a caller may be asked in a minute unless configured otherwise.
 */
const MOST_AHEAD = 20;

/**
 * Asks about the operations that follow the halted one, so that one answer has all questions and one batch all tokens. What an
 * operation with references would do is not known, so it asks when its turn comes; one that brings a token has been asked about.
 *
 * @param asked questions that items asked which had begun
 */
export async function askAhead(
  coming: readonly ComingItem[],
  asked: ReadonlyMap<number, Reply>,
  deps: AheadDeps,
): Promise<AskedAhead> {
  const questions = new Map<number, AheadQuestion>();
  for (const [index, reply] of asked) {
    const question = readQuestion(reply);
    if (question !== undefined) questions.set(index, question);
  }
  const candidates = coming.filter((item) => isKnown(item) && !questions.has(item.index) && mayAsk(item, deps));
  let looked = 0;
  for (const item of candidates) {
    if (looked === MOST_AHEAD || deps.cancellation.cancelled) break;
    const question = await askAbout(item, deps);
    if (question === 'no more') break;
    looked += 1;
    if (question !== undefined) questions.set(item.index, question);
  }
  return { questions, left: candidates.length - looked };
}

/** An item that a call can be made of, and that was not asked about yet. */
function isKnown({ known }: ComingItem): boolean {
  return known !== undefined && confirmationOf(known) === undefined;
}

export function mayAsk(
  { operation: name }: ComingItem,
  { catalog, policy }: Pick<AheadDeps, 'catalog' | 'policy'>,
): boolean {
  const operation = catalog.find(name);
  return operation !== undefined && mayBeAsked(operation, policy);
}

async function askAbout(
  { known }: ComingItem,
  deps: Pick<AheadDeps, 'policy' | 'foresee' | 'onDefect'>,
): Promise<AheadQuestion | 'no more' | undefined> {
  const request = known && (await foreseeCall(known, deps));
  if (request === undefined) return undefined;
  try {
    return await deps.policy.askAhead(request);
  } catch (thrown) {
    // The caller's questions of this minute are used up, or the store is out of reach: the others ask when their turns come.
    if (!(thrown instanceof OperationError)) deps.onDefect(thrown);
    return 'no more';
  }
}

/** Undefined for a call that will be refused before policy judges it: it says why when its turn comes. */
async function foreseeCall(
  request: JsonObject,
  { foresee, onDefect }: Pick<AheadDeps, 'foresee' | 'onDefect'>,
): Promise<PolicyRequest | undefined> {
  try {
    return await foresee(request);
  } catch (thrown) {
    if (!(thrown instanceof OperationError)) onDefect(thrown);
    return undefined;
  }
}

/** A call of an agreement to several. */
export interface CoveredCall {
  readonly index: number;
  readonly request: PolicyRequest;
}

/**
 * The calls that one agreement can cover: those that ask in the given way, in order, up to the first that asks in another way
 * or may ask but is not known yet. The batch halts there, and an agreement is used up by then.
 */
export async function coveredTogether(
  coming: readonly ComingItem[],
  way: 'token' | 'human',
  deps: AheadDeps,
): Promise<readonly CoveredCall[]> {
  const covered: CoveredCall[] = [];
  let looked = 0;
  for (const item of coming) {
    if (!mayAsk(item, deps)) continue;
    if (item.known === undefined || looked === MOST_AHEAD) break;
    looked += 1;
    if (confirmationOf(item.known) !== undefined) continue;
    const request = await foreseeCall(item.known, deps);
    const confirmer = request && deps.policy.confirmerOf(request);
    if (request === undefined || confirmer === undefined) continue;
    if (confirmer !== way) break;
    covered.push({ index: item.index, request });
  }
  return covered;
}

/** The question of an item that had begun beside the halted one; undefined for one about a quota. */
function readQuestion({ code, text }: Reply): AheadQuestion | undefined {
  if (code !== 'CONFIRMATION_REQUIRED') return undefined;
  const { error } = JSON.parse(text) as OperationFailure;
  const { confirmation_token: token, ...details } = error.details ?? {};
  return { details, ...(typeof token === 'string' ? { token } : {}), keepsCall: false };
}

/** The token with which a request comes. */
export function confirmationOf(request: JsonObject): unknown {
  const params = paramsOf(request);
  return params?.[CONFIRMATION] ?? params?.[PLAIN_CONFIRMATION];
}
