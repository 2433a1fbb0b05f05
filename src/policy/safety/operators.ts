import type { AuditTrail } from '../audit/audit-trail.js';
import type { Block, Blocks } from './blocks.js';
import { type Challenge, type DescribedChallenge, describeChallenge } from './challenge.js';
import type { Challenges } from './challenges.js';

interface OperatorDeps {
  readonly challenges: Challenges;
  readonly blocks: Blocks;
  readonly audit: Pick<AuditTrail, 'record'>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** An operator, and how the operator acts. */
interface Operator {
  readonly name: string;
  readonly way: 'http' | 'cli';
  /** Why, in the operator's words. */
  readonly reason?: string;
}

/** A block as people see it. */
type DescribedBlock = Omit<Block, 'since'> & { /** ISO 8601. */ readonly since: string };

/** What waits for people. */
interface AgentsOverview {
  readonly blocked: readonly DescribedBlock[];
  readonly challenges: readonly DescribedChallenge[];
}

/** What operators see and decide of agents, in all gateways that share the store. */
export class SafetyOperators {
  readonly #deps: OperatorDeps;

  constructor(deps: OperatorDeps) {
    this.#deps = deps;
  }

  /** The agents that are blocked, and the questions that wait. */
  async overview(): Promise<AgentsOverview> {
    const { blocks, challenges, now = Date.now } = this.#deps;
    const moment = now();
    return {
      blocked: (await blocks.all()).map(describeBlock),
      challenges: (await challenges.open()).map((challenge) => describeChallenge(challenge, moment)),
    };
  }

  /** Agrees to what a challenge asks; undefined where nothing waits. */
  async agree(id: string, operator: Operator): Promise<DescribedChallenge | undefined> {
    const { challenges, blocks, now = Date.now } = this.#deps;
    const agreed = await challenges.settle(id, operator.name);
    if (agreed === undefined) return undefined;
    if (agreed.kind === 'block') await blocks.lift(agreed.subject, { challenge: id });
    this.#record(agreed.kind === 'block' ? 'AGENT_UNBLOCKED' : 'CONFIRMED', agreed, operator, id);
    return describeChallenge(agreed, now());
  }

  /** Lifts the blocks of a client, or of one of its agents; resolves with those that were lifted. */
  async unblock(subject: string, agent: string | undefined, operator: Operator): Promise<readonly DescribedBlock[]> {
    const { blocks, challenges } = this.#deps;
    const lifted = (await blocks.of(subject)).filter((block) => agent === undefined || block.agent === agent);
    for (const block of lifted) {
      await challenges.settle(block.challenge, operator.name);
      await blocks.lift(subject, { challenge: block.challenge });
      this.#record('AGENT_UNBLOCKED', block, operator, block.challenge);
    }
    return lifted.map(describeBlock);
  }

  /** A new code in place of the one that was sent, for the operator to read; undefined where the challenge does not wait. */
  async showCode(id: string, operator: Operator): Promise<string | undefined> {
    const { challenges } = this.#deps;
    const challenge = await challenges.find(id);
    const code = challenge === undefined ? undefined : await challenges.showCode(id);
    if (challenge !== undefined && code !== undefined) this.#record('CHALLENGE_DELIVERED', challenge, operator, id);
    return code;
  }

  #record(
    event: 'AGENT_UNBLOCKED' | 'CONFIRMED' | 'CHALLENGE_DELIVERED',
    { subject, agent }: Pick<Challenge, 'subject' | 'agent'>,
    { name, way, reason }: Operator,
    challenge: string,
  ): void {
    this.#deps.audit.record({
      type: 'safety',
      event,
      agent,
      subject,
      challenge,
      ...(reason === undefined ? {} : { reason }),
      by: name,
      actor: { operator: name, transport: way },
    });
  }
}

function describeBlock({ since, ...block }: Block): DescribedBlock {
  return { ...block, since: new Date(since).toISOString() };
}
