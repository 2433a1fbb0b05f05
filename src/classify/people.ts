import { setOfWords } from './lexicon.js';

/** Those whom a server reaches on its caller's behalf: what they are asked or told cannot be taken back. */
export const PEOPLE: ReadonlySet<string> = setOfWords(
  `human humans user users person people team teams staff crew customer customers client clients guest guests patient patients parent
    parents owner owners manager managers operator operators technician technicians driver drivers worker workers employee employees
    colleague colleagues seller sellers buyer buyers player players passenger passengers reader readers audience visitor visitors sender supplier suppliers vendor vendors member members subscriber subscribers teacher teachers student students
    doctor doctors nurse nurses keeper landlord tenant tenants neighbor neighbour neighbors neighbours courier caretaker contractor
    contractors supervisor boss host hosts attendee attendees participant participants recipient recipients channel department office
    approval confirmation permission`,
);
