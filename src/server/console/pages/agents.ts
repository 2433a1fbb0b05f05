import { NO_PART, type OpenPart } from '../page.js';
export const openAgents: OpenPart = () => NO_PART;
