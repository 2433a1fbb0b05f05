import type { UpstreamEndpoint } from './gateway-config.js';

interface TransportFacts {
  /** Whether each message is a request with headers of its own; else one connection carries all, and is the session. */
  readonly isPerRequest: boolean;
  /** Whether it carries handshakes alone, as revisions before 2026-07-28 have them. */
  readonly isLegacy: boolean;
  /** What a server is that is reached by it, in words. */
  readonly says: string;
  /** Why it cannot carry the rights of each user; absent where it can. */
  readonly sharedBecause?: string;
}

/** The ways to reach a server, and all that follows from each: whoever adds one is asked for it here. */
export const TRANSPORT_FACTS: Readonly<Record<UpstreamEndpoint['type'], TransportFacts>> = {
  stdio: {
    isPerRequest: false,
    isLegacy: false,
    says: 'is a process',
    sharedBecause: 'its process serves all callers',
  },
  http: { isPerRequest: true, isLegacy: false, says: 'speaks Streamable HTTP' },
  sse: {
    isPerRequest: false,
    isLegacy: true,
    says: 'speaks the HTTP+SSE transport of 2024-11-05',
    sharedBecause: 'that transport is an older one',
  },
};
