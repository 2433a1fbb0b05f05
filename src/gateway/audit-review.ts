/** What the command line does with the audit journals; it needs no gateway, and no configuration where it has a directory. */
export { type FoundRecord, type RecordFilter, searchJournals } from '../audit/search.js';
export { followJournals, tailJournals } from '../audit/tail.js';
export { type JournalVerdict, verifyJournals } from '../audit/verify.js';
