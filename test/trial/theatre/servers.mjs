import Database from 'libsql';
import { BOOKINGS, CALENDARS, drawPoster, INCOME, NOTES, READINGS, SHEETS, SHOWS } from './data.mjs';

const TEXT = { type: 'string' };
const READS = { annotations: { readOnlyHint: true } };
const REMOVES = { annotations: { readOnlyHint: false, destructiveHint: true } };
const ADDS = { annotations: { readOnlyHint: false, destructiveHint: false } };

/** Servers without any filter: what is listed is listed whole. What is listed is kept in memory. */
export const SERVERS = {
  'box-office': { tools: () => boxOffice([...BOOKINGS]) },
  'stage-calendar': { tools: () => calendar('stage') },
  'house-calendar': { tools: () => calendar('house') },
  posters: { tools: posters },
  'light-desk': { tools: lightDesk },
  ledger: { tools: ledger },
  notes: { tools: () => notes({ ...NOTES }), deafAfterMs: 25_000 },
};

function tool(description, properties, run, more = READS) {
  return {
    description,
    inputSchema: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
    ...more,
    run,
  };
}

function find(list, id, what) {
  const found = list.find((item) => item.id === id);
  if (found === undefined) throw new Error(`There is no ${what} ${id}`);
  return found;
}

function boxOffice(bookings) {
  return {
    list_shows: tool('List all shows: id, title, stage, starts_at, capacity.', {}, () => SHOWS),
    list_bookings: tool(
      'List all bookings: id, show_id, name, email, seats, state (paid, open or reserved), channel, booked_at, note.',
      {},
      () => bookings,
    ),
    get_technical_sheet: tool(
      'Get the technical sheet of a show: crew, effects (a list of words), cues.',
      { show_id: TEXT },
      ({ show_id }) => SHEETS[show_id] ?? { error: 'unknown show' },
    ),
    cancel_booking: tool(
      'Cancel a booking for good. The seats are free again.',
      { booking_id: { type: 'integer' } },
      ({ booking_id }) => {
        const booking = find(bookings, booking_id, 'booking');
        bookings.splice(bookings.indexOf(booking), 1);
        return { cancelled: booking_id, seats: booking.seats };
      },
      REMOVES,
    ),
  };
}

function calendar(name) {
  const events = [...CALENDARS[name]];
  return {
    list_events: tool(
      'List all events of this calendar: id, title, starts_at, ends_at, room, organiser, remarks.',
      {},
      () => ({ calendar: name, events }),
    ),
    create_event: tool(
      'Create an event in this calendar.',
      { title: TEXT, starts_at: TEXT, ends_at: TEXT, room: TEXT },
      (event) => {
        const created = { id: `${name}-${events.length + 1_000}`, ...event };
        events.push(created);
        return created;
      },
      ADDS,
    ),
    delete_event: tool(
      'Delete an event of this calendar.',
      { event_id: TEXT },
      ({ event_id }) => {
        events.splice(events.indexOf(find(events, event_id, 'event')), 1);
        return { deleted: event_id };
      },
      REMOVES,
    ),
  };
}

function posters() {
  const data = drawPoster().toString('base64');
  return {
    list_posters: tool('List the posters of the season by title, with width and height.', {}, () =>
      SHOWS.map(({ title }) => ({ title, width: 120, height: 160 })),
    ),
    view_poster: tool('Look at a poster: the picture itself.', { title: TEXT }, () => {
      const picture = { type: 'image', data, mimeType: 'image/png' };
      return { content: [picture], structuredContent: { content: [picture] } };
    }),
  };
}

function lightDesk() {
  return {
    list_logs: tool('List the log files of the light desk.', {}, () => ['heat.json', 'power.json']),
    read_log: tool('Read a log file of the light desk.', { file: TEXT }, ({ file }) =>
      file === 'heat.json' ? JSON.stringify(READINGS) : '[]',
    ),
  };
}

function ledger() {
  const database = new Database(':memory:');
  database.exec(
    'CREATE TABLE income (show_id TEXT, month TEXT, cents INTEGER); CREATE TABLE shows (id TEXT, title TEXT)',
  );
  const addIncome = database.prepare('INSERT INTO income VALUES (?, ?, ?)');
  for (const { show_id, month, cents } of INCOME) addIncome.run(show_id, month, cents);
  const addShow = database.prepare('INSERT INTO shows VALUES (?, ?)');
  for (const { id, title } of SHOWS) addShow.run(id, title);
  return {
    describe_tables: tool('Describe the tables of the ledger.', {}, () =>
      database.prepare('SELECT name, sql FROM sqlite_master').all(),
    ),
    query: tool(
      'Run any SQL statement on the SQLite database of the ledger, with values for its placeholders.',
      { sql: TEXT, values: { type: 'array', items: {} } },
      ({ sql, values }) => database.prepare(sql).all(...values),
      {},
    ),
  };
}

function notes(kept) {
  return {
    list_notes: tool('List the names of all notes.', {}, () => Object.keys(kept)),
    read_note: tool('Read a note.', { name: TEXT }, ({ name }) => kept[name] ?? ''),
    append_to_note: tool(
      'Append a line to a note.',
      { name: TEXT, line: TEXT },
      ({ name, line }) => {
        kept[name] = `${kept[name] ?? ''}${line}\n`;
        return `Appended: ${name} has ${kept[name].trimEnd().split('\n').length} lines`;
      },
      ADDS,
    ),
  };
}
