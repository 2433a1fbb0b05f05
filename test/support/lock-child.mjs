// Another program that writes a store's file and does not finish: see `file-lock.ts`.
import Database from 'libsql';

const [file, holding] = process.argv.slice(2);
const database = new Database(file, { timeout: 5_000 });
database.exec('BEGIN IMMEDIATE');
database.exec("INSERT INTO counters (name, value, expires_at) VALUES ('of the other program', 1, 9e15)");
process.send('locked', () => holding === 'stopped' && process.kill(process.pid, 'SIGSTOP'));
process.on('disconnect', () => process.exit());
