import { setTimeout } from 'node:timers/promises';
import { dataOf, introspect, program, run } from '../steps.mjs';
import { BOOKINGS, CALENDARS, INCOME, READINGS, SHEETS, SHOWS } from './data.mjs';

/**
 * The twelve tasks of the theatre, each as a model would solve it that knows nothing but the definitions and what it was answered
 * before: a step is yielded and its answer comes back, and what is returned is what the model tells. `truth` knows the rows; no arm does.
 * Whoever has a fact from an earlier task keeps it in `memory`.
 */
export const TASKS = [
  {
    title: 'Which show has sold the largest share of its places, counting paid bookings?',
    *own(_world, memory) {
      memory.shows = JSON.parse((yield ['box-office', 'list_shows', {}]).text);
      memory.bookings = JSON.parse((yield ['box-office', 'list_bookings', {}]).text);
      return fullest(memory.shows, sumSeats(memory.bookings.filter(isPaid)));
    },
    *gateway(_world, memory) {
      yield introspect({ query: 'upstreams' });
      yield introspect({ query: 'operations', upstream: 'box_office' });
      yield introspect({ query: 'operations', name: 'list_bookings' });
      memory.shows = dataOf(yield run('read', 'list_shows', {}));
      const paid = yield run('read', 'list_bookings', {
        filter: { state: 'paid' },
        aggregate: { seats: { group_by: 'show_id', sum: 'seats' } },
      });
      return fullest(memory.shows, dataOf(paid).aggregations.seats);
    },
    *programs(_world, memory) {
      yield introspect({ query: 'upstreams' });
      yield introspect({ query: 'operations', upstream: 'box_office' });
      yield introspect({ query: 'operations', name: 'run_program_read_only' });
      yield introspect({ query: 'operations', name: 'list_bookings' });
      memory.shows = dataOf(yield run('read', 'list_shows', {}));
      const paid = yield program(`
        const paid = (await aql.read('list_bookings')).filter(({ state }) => state === 'paid');
        const seats = {};
        for (const booking of paid) seats[booking.show_id] = (seats[booking.show_id] ?? 0) + booking.seats;
        return seats;`);
      return fullest(memory.shows, dataOf(paid).result);
    },
    truth: () => fullest(SHOWS, sumSeats(BOOKINGS.filter(isPaid))),
  },
  {
    title:
      'Who wants nine seats and has neither paid nor reserved? A line with their names into the note front-of-house',
    *own(_world, { bookings }) {
      const names = namesOf(bookings.filter(({ seats, state }) => seats === 9 && state === 'open'));
      yield ['notes', 'append_to_note', { name: 'front-of-house', line: names.join(', ') }];
      return names;
    },
    *gateway() {
      const open = yield run('read', 'list_bookings', {
        filter: { seats: 9, state: 'open' },
        distinct: 'name',
        fields: ['name'],
        first: 100,
      });
      const names = namesOf(dataOf(open).items);
      yield introspect({ query: 'operations', upstream: 'notes' });
      yield run('create', 'append_to_note', { name: 'front-of-house', line: names.join(', ') });
      return names;
    },
    truth: () => namesOf(BOOKINGS.filter(({ seats, state }) => seats === 9 && state === 'open')),
  },
  {
    title: 'Show the poster of Faust, and say how wide it is',
    *own() {
      const listed = JSON.parse((yield ['posters', 'list_posters', {}]).text);
      const { pictures } = yield ['posters', 'view_poster', { title: 'Faust' }];
      return { pictures, width: listed.find(({ title }) => title === 'Faust').width };
    },
    *gateway() {
      const { family } = called(yield introspect({ query: 'operations', upstream: 'posters' }), 'view_poster');
      const listed = yield run('read', 'list_posters', { filter: { title: 'Faust' } });
      const { pictures } = yield run(family, 'view_poster', { title: 'Faust' });
      return { pictures, width: dataOf(listed).items[0].width };
    },
    truth: () => ({ pictures: 1, width: 120 }),
  },
  {
    title: 'Which dimmer was over 80 degrees most often, and how often? It is in the heat log of the light desk',
    *own() {
      yield ['light-desk', 'list_logs', {}];
      return hottest(countHot(JSON.parse((yield ['light-desk', 'read_log', { file: 'heat.json' }]).text)));
    },
    *gateway() {
      yield run('read', 'list_logs', {});
      // What a log holds is seen in one reading.
      yield run('read', 'read_log', { file: 'heat.json', first: 1 });
      const hot = yield run('read', 'read_log', {
        file: 'heat.json',
        filter: { celsius: { gt: 80 } },
        aggregate: { hot: { group_by: 'dimmer', count: true } },
      });
      return hottest(dataOf(hot).aggregations.hot);
    },
    *programs() {
      yield run('read', 'list_logs', {});
      yield run('read', 'read_log', { file: 'heat.json', first: 1 });
      const hot = yield program(`
        const hot = {};
        for (const { dimmer, celsius } of await aql.read('read_log', { file: 'heat.json' })) {
          if (celsius > 80) hot[dimmer] = (hot[dimmer] ?? 0) + 1;
        }
        const most = Math.max(...Object.values(hot));
        return Object.fromEntries(Object.entries(hot).filter(([, count]) => count === most));`);
      return hottest(dataOf(hot).result);
    },
    truth: () => hottest(countHot(READINGS)),
  },
  {
    title: "Move the rehearsal of Woyzeck from the stage's calendar into the house's",
    *own(_world, memory) {
      memory.stage = JSON.parse((yield ['stage-calendar', 'list_events', {}]).text).events;
      const { id, ...event } = memory.stage.find(({ title }) => title === 'Rehearsal of Woyzeck');
      const created = yield ['house-calendar', 'create_event', eventOf(event)];
      yield ['stage-calendar', 'delete_event', { event_id: id }];
      return { deleted: id, title: JSON.parse(created.text).title };
    },
    *gateway() {
      yield introspect({ query: 'operations', upstream: 'stage_calendar' });
      const listed = yield run('read', 'stage_calendar__list_events', { filter: { title: 'Rehearsal of Woyzeck' } });
      const { id, ...event } = dataOf(listed).items[0];
      const created = yield run('create', 'house_calendar__create_event', eventOf(event));
      yield run('delete', 'stage_calendar__delete_event', { event_id: id });
      return { deleted: id, title: dataOf(created).title };
    },
    *programs() {
      yield introspect({ query: 'operations', upstream: 'stage_calendar' });
      const listed = yield run('read', 'stage_calendar__list_events', { first: 1 });
      const moved = yield program(
        `
        const listed = await aql.read('stage_calendar__list_events', { filter: { title: 'Rehearsal of Woyzeck' } });
        const { id, title, starts_at, ends_at, room } = listed.items[0];
        const created = await aql.create('house_calendar__create_event', { title, starts_at, ends_at, room });
        await aql.delete('stage_calendar__delete_event', { event_id: id });
        return { deleted: id, title: created.title };`,
        { writes: true },
      );
      return listed.refusal === undefined ? dataOf(moved).result : undefined;
    },
    truth: () => ({
      deleted: CALENDARS.stage.find(({ title }) => title === 'Rehearsal of Woyzeck').id,
      title: 'Rehearsal of Woyzeck',
    }),
  },
  {
    title: 'On which days do both calendars have something in the studio?',
    *own(_world, { stage }) {
      const house = JSON.parse((yield ['house-calendar', 'list_events', {}]).text).events;
      return daysOfBoth(stage, house);
    },
    *gateway() {
      const inStudio = { filter: { room: 'studio' }, fields: ['starts_at'], first: 100 };
      const both = yield run('read', [
        ['stage_calendar__list_events', inStudio],
        ['house_calendar__list_events', inStudio],
      ]);
      const [stage, house] = JSON.parse(both.first).results.map(({ result }) => result.data.items);
      return daysOfBoth(stage, house, () => true);
    },
    *programs() {
      const days = yield program(`
        const [stage, house] = await Promise.all(['stage_calendar', 'house_calendar'].map(async (calendar) => {
          const { items } = await aql.read(calendar + '__list_events', { filter: { room: 'studio' }, first: 1000 });
          return items.map(({ starts_at }) => starts_at.slice(0, 10));
        }));
        return [...new Set(stage)].filter((day) => house.includes(day)).sort();`);
      return dataOf(days).result;
    },
    truth: () => daysOfBoth(CALENDARS.stage, CALENDARS.house),
  },
  {
    title: 'Which show has earned most in October, by the ledger?',
    *own() {
      yield ['ledger', 'describe_tables', {}];
      const [row] = JSON.parse((yield ['ledger', 'query', { sql: EARNED_MOST, values: ['2026-10'] }]).text);
      return row.title;
    },
    *gateway() {
      yield introspect({ query: 'operations', upstream: 'ledger' });
      yield run('read', 'describe_tables', {});
      const rows = yield run('read', 'query_read_only', { sql: EARNED_MOST, values: ['2026-10'] });
      return dataOf(rows)[0].title;
    },
    truth() {
      const october = INCOME.filter(({ month }) => month === '2026-10').toSorted((a, b) => b.cents - a.cents);
      return titleOf(SHOWS, october[0].show_id);
    },
  },
  {
    title: 'Which shows need smoke, by their technical sheets?',
    *own(_world, { shows }) {
      const smoky = [];
      for (const { id, title } of shows) {
        const sheet = JSON.parse((yield ['box-office', 'get_technical_sheet', { show_id: id }]).text);
        if (sheet.effects.includes('smoke')) smoky.push(title);
      }
      return smoky;
    },
    *gateway(_world, { shows }) {
      const fields = ['title', 'effects'];
      const sheets = yield run(
        'read',
        shows.map(({ id }) => ['get_technical_sheet', { show_id: id, fields }]),
      );
      return smokyOf(JSON.parse(sheets.first).results.map(({ result }) => result.data));
    },
    *programs(_world, { shows }) {
      const smoky = yield program(
        `
        const sheets = await Promise.all(input.map((show_id) => aql.read('get_technical_sheet', { show_id })));
        return sheets.filter(({ effects }) => effects.includes('smoke')).map(({ title }) => title);`,
        { input: shows.map(({ id }) => id) },
      );
      return dataOf(smoky).result;
    },
    truth: () => smokyOf(Object.values(SHEETS)),
  },
  {
    title: 'Read the note about touring; three quarters of a minute later add a line to it, and read it again',
    async *own() {
      yield ['notes', 'read_note', { name: 'touring' }];
      await setTimeout(PAUSE_MS);
      const append = ['notes', 'append_to_note', { name: 'touring', line: LINE }];
      // Whether it ran is not known; who is asked says: send it again.
      if ((yield append).refusal !== undefined) yield append;
      return (yield ['notes', 'read_note', { name: 'touring' }]).text.includes(LINE);
    },
    async *gateway() {
      yield run('read', 'read_note', { name: 'touring' });
      await setTimeout(PAUSE_MS);
      yield run('create', 'append_to_note', { name: 'touring', line: LINE });
      return (yield run('read', 'read_note', { name: 'touring' })).text.includes(LINE);
    },
    truth: () => true,
  },
  {
    title: 'Cancel all unpaid bookings of Orla Brandt; how many seats are free again?',
    *own(_world, memory) {
      let seats = 0;
      for (const { id } of memory.bookings.filter(isOpenOf('Orla Brandt'))) {
        seats += JSON.parse((yield ['box-office', 'cancel_booking', { booking_id: id }]).text).seats;
      }
      return seats;
    },
    *gateway() {
      const open = yield run('read', 'list_bookings', {
        filter: { name: 'Orla Brandt', state: 'open' },
        fields: ['id'],
        first: 100,
      });
      const ids = dataOf(open).items.map(({ id }) => id);
      const { first } = yield run(
        'execute',
        ids.map((id) => ['cancel_booking', { booking_id: id }]),
      );
      return sumOf(JSON.parse(first).results.map(({ result }) => result.data.seats));
    },
    *programs() {
      const freed = yield program(
        `
        const { items } = await aql.read('list_bookings', { filter: { name: 'Orla Brandt', state: 'open' }, first: 1000 });
        const cancelled = await Promise.all(items.map(({ id }) => aql.execute('cancel_booking', { booking_id: id })));
        return cancelled.reduce((sum, { seats }) => sum + seats, 0);`,
        { writes: true },
      );
      return dataOf(freed).result;
    },
    truth: () => sumOf(BOOKINGS.filter(isOpenOf('Orla Brandt')).map(({ seats }) => seats)),
  },
  {
    title: 'How many bookings are open now?',
    *own() {
      return JSON.parse((yield ['box-office', 'list_bookings', {}]).text).filter(({ state }) => state === 'open')
        .length;
    },
    *gateway() {
      const open = yield run('read', 'list_bookings', {
        filter: { state: 'open' },
        aggregate: { open: { count: true } },
      });
      return dataOf(open).aggregations.open;
    },
    truth: () => BOOKINGS.filter((booking) => booking.state === 'open' && !isOpenOf('Orla Brandt')(booking)).length,
  },
  {
    title: 'Send the caterer a text message that the reception is later (nothing here can)',
    *own() {
      yield* [];
      return 'nothing can';
    },
    *gateway() {
      const answer = yield introspect({ query: 'operations', search: 'send SMS text message' });
      const told = /likely nothing here fits/i.test(answer.text);
      const isSender = ({ description }) => /\b(?:sms|messages?)\b/i.test(description);
      return told || !dataOf(answer).operations.some(isSender) ? 'nothing can' : 'something may';
    },
    truth: () => 'nothing can',
  },
];

/** Longer than the notes listen, and long enough for the gateway to doubt a silent connection. */
const PAUSE_MS = 47_000;
const LINE = 'Ask for a second van';
const EARNED_MOST =
  'SELECT s.title, SUM(i.cents) AS cents FROM income i JOIN shows s ON s.id = i.show_id WHERE i.month = ? GROUP BY s.id ORDER BY cents DESC LIMIT 1';

const isPaid = ({ state }) => state === 'paid';
const isOpenOf = (wanted) => (booking) => booking.name === wanted && booking.state === 'open';
const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
const titleOf = (shows, wanted) => shows.find(({ id }) => id === wanted)?.title;
const namesOf = (bookings) => [...new Set(bookings.map(({ name }) => name))].toSorted();
const smokyOf = (sheets) => sheets.filter(({ effects }) => effects.includes('smoke')).map(({ title }) => title);
const eventOf = ({ title, starts_at, ends_at, room }) => ({ title, starts_at, ends_at, room });

function sumSeats(bookings) {
  const sums = {};
  for (const { show_id, seats } of bookings) sums[show_id] = (sums[show_id] ?? 0) + seats;
  return sums;
}

function fullest(shows, seats) {
  const share = ({ id, capacity }) => (seats[id] ?? 0) / capacity;
  return shows.toSorted((a, b) => share(b) - share(a))[0].title;
}

function countHot(readings) {
  const counts = {};
  for (const { dimmer, celsius } of readings) if (celsius > 80) counts[dimmer] = (counts[dimmer] ?? 0) + 1;
  return counts;
}

/** Of several, the first by name. */
function hottest(counts) {
  return Object.entries(counts).toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))[0];
}

function daysOfBoth(stage, house, isWanted = ({ room }) => room === 'studio') {
  const days = (events) => new Set(events.filter(isWanted).map(({ starts_at }) => starts_at.slice(0, 10)));
  const others = days(house);
  return [...days(stage)].filter((day) => others.has(day)).toSorted();
}

/** The family that a list of operations names for one. */
function called(listed, name) {
  const { endpoint } = dataOf(listed).operations.find((operation) => operation.name === name);
  return { family: endpoint };
}
