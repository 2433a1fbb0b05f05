import { NO_PART, type OpenPart } from '../page.js';
export const openExecutions: OpenPart = () => NO_PART;
