import { expect, it } from 'vitest';
import { isJsonObject } from '../../../src/base/json/json.js';
import { classifyCaptured } from '../../eval/evaluate-classification.js';

function categoryOf(name: string, description: string, parameters: readonly string[]): string {
  const properties = Object.fromEntries(parameters.map((key) => [key, { type: 'string' }]));
  const tool = { name, description, inputSchema: { type: 'object', properties, required: [...parameters] } };
  if (!isJsonObject(tool)) throw new Error('not a tool');
  return classifyCaptured({ id: `harbour::${name}`, server: 'harbour', tool }, true).category;
}

it.each([
  ['excess_bill', 'Returns the created bill for the excess', ['claim']],
  ['watch_place', 'Returns the id of the watch that was queued', ['place', 'priority']],
  ['record_loss', 'Notes that two ships have sunk', ['fleet', 'ship']],
  ['sleep_order', 'Orders that a dog be put to sleep', ['dog']],
  ['scan_badge', 'Lets a visitor in and takes one ticket off the card', ['badge']],
  ['monitor', 'Monitor a phrase and mail new finds', ['phrase', 'email']],
  ['accident_report', 'File an accident report', ['site']],
  ['drink_log', 'Log what was drunk', ['drink']],
  ['paint', 'All paint comes off a wall', ['wall']],
  ['no_show', 'Guest did not come; keeps the deposit', ['booking']],
  ['night_run', 'Night audit: cancels what has not arrived', ['night']],
  ['look_up_and_cache', 'Looks up a chart and caches the record', ['chart']],
  ['find_berth', 'Find a free berth and keep it for a boat', ['boat']],
  ['describe_coin', 'Describe a coin: stores its grade', ['coin']],
  ['check_chest', 'Checks a chest in', ['chest']],
  ['read_mail', 'Lets the sender know that it was read', ['mail']],
  ['survey_create', 'Survey with several answers', ['question']],
  ['quote_hold', 'Price, held for a day', ['offer']],
  ['look_after_dog', 'Someone looks after the dog', ['dog']],
  ['record_view', 'One more view of a page', ['page']],
  ['koje_reservieren', 'Reserviert eine Koje', ['koje']],
  ['seat', 'Seat reserved until tomorrow', ['seat']],
  ['parcel', 'Parcel returned to sender', ['parcel']],
  ['guests', 'Guests moved to another table', ['guest']],
  ['engine', 'Engines running again', ['engine']],
  ['call_boat', 'A captain asks for a pilot', ['captain']],
  ['export_chart', 'Export the chart to a shareable address. Whoever has it can look', ['chart']],
  ['export_log', 'Exports the log. It is signed and uploaded; anyone with the link can read it', ['log']],
  ['download_tide_table', 'Downloads the tide table. Uploads it to the board of the harbour', ['harbour']],
] as const)('a write that is worded as a read is no READ: %s (%s)', (name, description, parameters) => {
  expect(categoryOf(name, description, parameters)).not.toBe('READ');
});

it.each([
  ['strike_stage', 'Stage is taken down and its bookings are dropped', ['stage']],
  ['sweep_log', 'Throws out duplicate contacts of a log', ['log']],
  ['strike_name', 'Strikes a name out of the list', ['name']],
] as const)(
  'what is lost in the passive, or by a verb of two words, is deleted: %s (%s)',
  (name, description, parameters) => {
    expect(categoryOf(name, description, parameters)).toBe('DELETE');
  },
);

it.each([
  ['ph_trend', 'Nutrient conductivity over the last days', ['tank']],
  ['ore_card', 'Everything on the card of one mine: depth, owner, history', ['mine']],
  ['quota_left', 'Remaining quota', ['vessel']],
  ['existencias', 'Unidades en la tienda', ['producto']],
  ['precio', 'Cuánto cuesta un pasaje', ['puerto']],
  ['zustand', 'Zustand des Bootes', ['boot']],
  ['speed', 'Speed of a boat', ['boat']],
  ['download_chart', 'Downloads an uploaded chart. Signs that were published stay in it', ['chart']],
  ['export_log', 'Exports the log as CSV', ['log']],
] as const)(
  'what names or hands out a thing and takes no value is a READ: %s (%s)',
  (name, description, parameters) => {
    expect(categoryOf(name, description, parameters)).toBe('READ');
  },
);

it.each([
  ['cracks', '', ['wall', 'note']],
  ['glork', 'Glork planks', ['plank']],
  ['glork', 'Glorks planks in a shed', ['plank']],
  ['quitar', 'Quita del catálogo', ['producto']],
  ['harbour_declaration', 'Harbour declaration to the authority', ['vessel']],
] as const)('what may be a verb, an act or a value stays a doubt: %s (%s)', (name, description, parameters) => {
  expect(categoryOf(name, description, parameters)).not.toBe('READ');
});
