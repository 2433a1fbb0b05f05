/** Reading audit journals for the command line: needs no gateway, and no configuration when a directory is given. */
export {
  type FoundRecord,
  followJournals,
  type RecordFilter,
  searchJournals,
  tailJournals,
} from '../../policy/audit/search.js';
export { type BackwardPage, type PlacedRecord, readRecordAt, searchBack } from '../../policy/audit/search-back.js';
export { type JournalVerdict, verifyJournals } from '../../policy/audit/verify.js';
export { type KeptHeads, readHeads } from '../../policy/journal-heads.js';
