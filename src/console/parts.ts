import type { OpenPart } from './layout/page.js';
import { openAgents } from './pages/agents.js';
import { openApprovals } from './pages/approvals.js';
import { openAudit } from './pages/audit.js';
import { openCatalogue } from './pages/catalogue.js';
import { openExecutions } from './pages/executions.js';
import { openFigures } from './pages/figures.js';
import { openIntegrity } from './pages/integrity.js';
import { openOverview } from './pages/overview.js';
import { openQuotas } from './pages/quotas.js';
import { openSessions } from './pages/sessions.js';
import { openTry } from './pages/try.js';
import { openUpstreams } from './pages/upstreams.js';

/** The sections of the console, in the order of the navigation. */
export const PARTS: readonly OpenPart[] = [
  openOverview,
  openApprovals,
  openAgents,
  openExecutions,
  openUpstreams,
  openCatalogue,
  openTry,
  openIntegrity,
  openFigures,
  openAudit,
  openSessions,
  openQuotas,
];
