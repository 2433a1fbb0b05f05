import type { Approval, ApprovalDesk } from '../../protocol/approval.js';

export type {
  Approval,
  ApprovalDesk,
  ApprovalStatus,
  Approver,
  DecisionFault,
  DecisionResult,
} from '../../protocol/approval.js';

export interface ApprovalRequest extends Omit<Approval, 'id' | 'status' | 'requestedAt' | 'expiresAt' | 'decision'> {}

/** The desk as the gatekeeper uses it. */
export interface ApprovalQueue extends ApprovalDesk {
  /** Files a request and notifies whoever is configured. */
  request(request: ApprovalRequest): Promise<Approval>;
  /** Resolves when the request is decided or expired, or after `waitMs`, whichever is first; polls for other processes. */
  waitForDecision(
    id: string,
    waitMs: number,
    signal: { readonly cancelled: boolean; onCancel(listener: () => void): void },
  ): Promise<Approval | undefined>;
  endSession(sessionId: string): Promise<void>;
}
