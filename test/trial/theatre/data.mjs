/**
 * What a small theatre's servers know, the same every time. The truth about it that tasks are judged by is computed here, from the
 * same rows, and no script reads it.
 */
import { deflateSync } from 'node:zlib';

const TITLES = [
  'The Tempest',
  'Uncle Vanya',
  'Woyzeck',
  'The Seagull',
  'Antigone',
  'Tartuffe',
  'Hedda Gabler',
  'Faust',
  'The Bald Soprano',
  'Endgame',
  'Medea',
  'Nathan the Wise',
];
const FAMILY_NAMES = ['Brandt', 'Okafor', 'Lindqvist', 'Moreau', 'Silva', 'Novak', 'Haddad', 'Iyer', 'Costa', 'Weber'];
const FIRST_NAMES = ['Orla', 'Ben', 'Chidi', 'Dana', 'Emil', 'Farah', 'Gita', 'Hugo', 'Ines', 'Jonas', 'Kemi'];
const STATES = ['paid', 'paid', 'open', 'paid', 'reserved'];

const pick = (list, index) => list[index % list.length];
const two = (number) => String(number).padStart(2, '0');

export const SHOWS = TITLES.map((title, index) => ({
  id: `show-${two(index + 1)}`,
  title,
  stage: index % 3 === 0 ? 'studio' : 'main',
  starts_at: `2026-12-${two(index + 3)}T19:30:00`,
  capacity: index % 3 === 0 ? 90 : 240,
}));

/** 600 bookings, each with what box offices keep beside the few things that are asked about. */
export const BOOKINGS = Array.from({ length: 600 }, (_, index) => {
  const name = `${pick(FIRST_NAMES, index * 7)} ${pick(FAMILY_NAMES, index * 3 + Math.floor(index / 11))}`;
  return {
    id: 5_000 + index,
    show_id: pick(SHOWS, index * 5 + Math.floor(index / 40)).id,
    name,
    email: `${name.toLowerCase().replace(' ', '.')}@example.org`,
    seats: 1 + ((index * 13) % 9),
    state: pick(STATES, index * 3 + Math.floor(index / 7)),
    channel: pick(['web', 'desk', 'phone'], index),
    booked_at: `2026-11-${two(1 + (index % 24))}T${two(8 + (index % 12))}:15:00`,
    note: index % 9 === 0 ? 'Wheelchair place at the aisle, row three if there is one' : '',
  };
});

const PROPS = ['table', 'lantern', 'mirror', 'ladder', 'piano', 'throne', 'bench', 'net'];
const EFFECTS = ['haze', 'smoke', 'thunder', 'rain', 'strobe', 'snow'];

/** What the crew must know of each show; long, as such sheets are. */
export const SHEETS = Object.fromEntries(
  SHOWS.map(({ id, title }, index) => [
    id,
    {
      show_id: id,
      title,
      crew: 3 + (index % 4),
      effects: [pick(EFFECTS, index), pick(EFFECTS, index * 2 + 1)],
      cues: Array.from({ length: 40 }, (_, cue) => ({
        number: cue + 1,
        at: `${two(Math.floor(cue / 3))}:${two((cue * 17) % 60)}`,
        what: `${pick(['Fade', 'Raise', 'Dim', 'Cross'], cue + index)} the ${pick(PROPS, cue * 3 + index)} in ${1 + (cue % 5)} seconds`,
      })),
    },
  ]),
);

const event = (calendar, index, title, starts_at) => ({
  id: `${calendar}-${index}`,
  title,
  starts_at,
  ends_at: starts_at.replace(/T(\d\d)/, (_, hour) => `T${two(Number(hour) + 2)}`),
  room: pick(['studio', 'main stage', 'foyer', 'workshop'], index * 3),
  organiser: pick(FIRST_NAMES, index * 5),
  remarks: `Keys at the porter's lodge; ${pick(PROPS, index)} to be brought back afterwards`,
});

/** Two calendars of the same make. */
export const CALENDARS = {
  stage: Array.from({ length: 110 }, (_, index) =>
    event(
      'stage',
      index,
      index === 37 ? 'Rehearsal of Woyzeck' : `${pick(['Rehearsal', 'Fitting', 'Lighting', 'Set-up'], index)} ${index}`,
      `2026-12-${two(1 + (index % 28))}T${two(8 + ((index * 5) % 12))}:00:00`,
    ),
  ),
  house: Array.from({ length: 90 }, (_, index) =>
    event(
      'house',
      index,
      `${pick(['Tour', 'Cleaning', 'Concert', 'Inspection', 'Reception'], index)} ${index}`,
      `2026-12-${two(1 + ((index * 3) % 28))}T${two(8 + ((index * 7) % 12))}:00:00`,
    ),
  ),
};

/** What the dimmers told of their heat: one JSON text on one line. */
export const READINGS = Array.from({ length: 1_500 }, (_, index) => ({
  at: `2026-11-${two(1 + Math.floor(index / 60))}T${two(18 + Math.floor((index % 60) / 15))}:${two((index % 15) * 4)}`,
  dimmer: `D${two(1 + ((index * 7) % 24))}`,
  celsius: 41 + ((index * 37 + Math.floor(index / 24) * 11) % 470) / 10,
}));

export const NOTES = {
  'front-of-house': 'Doors open at seven.\nThe bar closes after the interval.\n',
  touring: 'The van is booked for January.\n',
};

/** Income by show and month, in cents. */
export const INCOME = SHOWS.flatMap(({ id }, index) =>
  [9, 10, 11].map((month) => ({
    show_id: id,
    month: `2026-${two(month)}`,
    cents: 100_000 + ((index * 7_919 + month * 3_571) % 90_000),
  })),
);

/** A poster: a picture of noise, which does not compress, so that it is as large as posters are. */
export function drawPoster(width = 120, height = 160) {
  let seed = 7;
  const nextByte = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (seed >>> 16) & 255;
  };
  const rows = Array.from({ length: height }, () => Buffer.from([0, ...Array.from({ length: width }, nextByte)]));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const parts = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...parts]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc(body));
  return Buffer.concat([length, body, sum]);
}

function crc(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
