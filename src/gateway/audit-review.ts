/** Reading audit journals for the command line: needs no gateway, and no configuration when a directory is given. */
export { type FoundRecord, type RecordFilter, searchJournals } from '../audit/search.js';
export {
  type BackwardPage,
  type JournalPlace,
  type PlacedRecord,
  readRecordAt,
  searchBack,
} from '../audit/search-back.js';
export { followJournals, tailJournals } from '../audit/tail.js';
export { type JournalVerdict, verifyJournals } from '../audit/verify.js';
export { type KeptHeads, readHeads } from '../policy/journal-heads.js';
