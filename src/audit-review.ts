/** What the command line does with the audit journals; it needs no gateway, and no configuration where it has a directory. */
export type { FoundRecord } from './policy/audit/journal/found-record.js';
export type { RecordFilter } from './policy/audit/record-filter.js';
export { searchJournals } from './policy/audit/search-journal.js';
export { followJournals, tailJournals } from './policy/audit/tail-journal.js';
export { type JournalVerdict, verifyJournals } from './policy/audit/verify-journal.js';
