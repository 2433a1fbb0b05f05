import type { OpenPart } from './page.js';
import { openAgents } from './pages/agents.js';
import { openApprovals } from './pages/approvals.js';
import { openExecutions } from './pages/executions.js';

/** The sections of the console, in the order of the navigation. */
export const PARTS: readonly OpenPart[] = [openApprovals, openAgents, openExecutions];
