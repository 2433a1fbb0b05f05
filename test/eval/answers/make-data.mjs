import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FIRST_NAMES = ['Ada', 'Boris', 'Chen', 'Dana', 'Emre', 'Fatou', 'Gael', 'Hanna', 'Ivo', 'Jun', 'Kira', 'Luis'];
const LAST_NAMES = ['Okafor', 'Lindqvist', 'Moreau', 'Tanaka', 'Haddad', 'Silva', 'Novak', 'Brandt'];
const CITIES = ['Lisbon', 'Oslo', 'Nairobi', 'Osaka', 'Toronto'];
const TOPICS = ['billing', 'search', 'imports', 'onboarding', 'reporting', 'mobile app', 'access rights', 'backups'];
const LEVELS = ['INFO', 'INFO', 'INFO', 'DEBUG', 'INFO', 'WARN', 'INFO', 'DEBUG'];
const EXTENSIONS = ['md', 'md', 'csv', 'txt', 'png', 'md', 'json'];

const PEOPLE = 180;
const COMPANIES = 40;
const PROJECTS = 80;
const LATE_EVERY = 4;
const PROJECT_FOLDERS = 40;
const DOCUMENTS = 420;
const LOG_LINES = 2400;
const ERROR_EVERY = 300;

/** What the requests must find in it. */
export const FACTS = {
  entities: PEOPLE + COMPANIES + PROJECTS,
  people: PEOPLE,
  lateProjects: PROJECTS / LATE_EVERY,
  projectFolders: PROJECT_FOLDERS,
  logErrors: LOG_LINES / ERROR_EVERY,
};

const at = (list, index) => list[index % list.length];
const personOf = (index) => `${at(FIRST_NAMES, index)} ${at(LAST_NAMES, index * 5 + Math.floor(index / 12))} ${index}`;
const companyOf = (index) => `${at(LAST_NAMES, index)} & Partners ${index % COMPANIES}`;
const projectOf = (index) => `Project ${at(TOPICS, index)} ${index % PROJECTS}`;
const day = (index) => new Date(Date.UTC(2026, index % 10, 1 + (index % 27))).toISOString().slice(0, 10);

/** Writes a knowledge graph as the memory server keeps it: 300 entities with three to six observations, and 340 relations. */
export function writeGraph(file) {
  const entities = [
    ...Array.from({ length: PEOPLE }, (_, index) => entity(personOf(index), 'person', describePerson(index))),
    ...Array.from({ length: COMPANIES }, (_, index) => entity(companyOf(index), 'company', describeCompany(index))),
    ...Array.from({ length: PROJECTS }, (_, index) => entity(projectOf(index), 'project', describeProject(index))),
  ];
  const relations = [
    ...Array.from({ length: PEOPLE }, (_, index) => relation(personOf(index), companyOf(index), 'works at')),
    ...Array.from({ length: PROJECTS }, (_, index) => relation(personOf(index * 2), projectOf(index), 'leads')),
    ...Array.from({ length: PROJECTS }, (_, index) => relation(companyOf(index), projectOf(index), 'pays for')),
  ];
  writeFileSync(file, [...entities, ...relations].map((line) => JSON.stringify(line)).join('\n'));
}

function entity(name, entityType, observations) {
  return { type: 'entity', name, entityType, observations };
}

function relation(from, to, relationType) {
  return { type: 'relation', from, to, relationType };
}

function describePerson(index) {
  return [
    `Lives in ${at(CITIES, index)} and works in the ${at(TOPICS, index)} team`,
    `Prefers short written updates; last spoken to on ${day(index)}`,
    `Can be reached at ${at(FIRST_NAMES, index).toLowerCase()}.${index}@example.com`,
    ...(index % 2 === 0 ? [`Asked for a weekly summary of ${at(TOPICS, index + 3)} on ${day(index + 5)}`] : []),
    ...(index % 3 === 0 ? ['Is away every other Friday', `Speaks the language of ${at(CITIES, index + 1)}`] : []),
  ];
}

function describeCompany(index) {
  return [
    `Has its seat in ${at(CITIES, index)} and ${20 + index * 7} employees`,
    `Its contract runs until ${day(index + 40)} and renews by itself`,
    `Pays ${1000 + index * 250} EUR a month for ${at(TOPICS, index)}`,
  ];
}

function describeProject(index) {
  return [
    `Is ${index % LATE_EVERY === 0 ? 'late' : 'on time'}; its next milestone is due on ${day(index + 12)}`,
    `Replaces the old ${at(TOPICS, index + 2)} of customers in ${at(CITIES, index)}`,
    `Decided on ${day(index)}: no further scope before the milestone`,
    `Open question: who owns ${at(TOPICS, index + 1)} after the hand-over?`,
  ];
}

/** Fills a folder: documents in one folder, a tree of projects, a log of some 200 kB. */
export function writeFolder(directory) {
  const documents = join(directory, 'documents');
  mkdirSync(documents, { recursive: true });
  for (let index = 0; index < DOCUMENTS; index += 1) {
    const name = `${day(index)}-${at(TOPICS, index).replace(' ', '-')}-${index}.${at(EXTENSIONS, index)}`;
    writeFileSync(join(documents, name), 'x'.repeat((index * 37) % 4000));
  }
  for (let index = 0; index < PROJECT_FOLDERS; index += 1) {
    const project = join(directory, 'projects', projectOf(index).toLowerCase().replaceAll(' ', '-'));
    mkdirSync(join(project, 'notes'), { recursive: true });
    for (const file of ['plan.md', 'budget.csv', 'notes/kick-off.md', 'notes/review.md']) {
      writeFileSync(join(project, file), file);
    }
  }
  writeFileSync(
    join(directory, 'service.log'),
    Array.from({ length: LOG_LINES }, (_, index) => logLine(index)).join('\n'),
  );
}

function logLine(index) {
  const time = new Date(Date.UTC(2026, 9, 1, 8, 0, index)).toISOString();
  const topic = at(TOPICS, index * 3);
  if (index % ERROR_EVERY === ERROR_EVERY - 1)
    return `${time} ERROR ${topic}: request ${index} failed: upstream closed the connection`;
  return `${time} ${at(LEVELS, index)} ${topic}: request ${index} answered in ${(index * 7) % 90} ms, ${(index * 131) % 5000} bytes`;
}
