import { CATEGORIES, type Category } from '../base/protocol/operation.js';
import type { FamilyDefinition, ProfileDefinition } from './gateway-config.js';
import { DEFAULT_PROFILE } from './schema/serving-schema.js';

export { DEFAULT_PROFILE };

const CREATE = family('create', 'Add something new.', { categories: ['CREATE'] });
const READ = family('read', 'Read, list and search; changes nothing.', { categories: ['READ'] });
const UPDATE = family('update', 'Change what exists.', { categories: ['UPDATE'] });
const DELETE = family('delete', 'Remove what exists.', { categories: ['DELETE'] });
const EXECUTE = family('execute', 'Run, send or trigger something with effects of its own.', {
  categories: ['EXECUTE'],
});

/** A family that reads takes nothing else by its name: `describe_and_delete` is no description. */
const READ_ONLY: readonly Category[] = ['READ'];

/** Verbs of exploration; `introspect` belongs here wherever a profile has such a family. */
const DISCOVERY_VERBS = ['introspect', 'discover', 'describe', 'inspect', 'explain', 'list'];

/** Changes to who may do what. Only changes: reading permissions stays reading. */
const ACCESS_PATTERNS = [
  '{create,add,set,update,edit,delete,remove,assign,unassign,manage}_*{permission,role,policy,grant,approval,access}',
  '{create,add,set,update,edit,delete,remove,assign,unassign,manage}_*{permissions,roles,policies,grants,approvals}',
  '{create,add,set,update,edit,delete,remove,assign,unassign,manage}_*{acl,collaborator,collaborators}',
  '{create,delete,rotate,refresh}_*{access,api,auth}_{token,tokens,key,keys}',
];

/**
 * The built-in profiles (specification, sections 4.2 and 6). Each takes every category once; verbs and patterns move
 * single operations to the family where users of that field expect them.
 */
export const BUILT_IN_PROFILES: readonly ProfileDefinition[] = [
  { name: DEFAULT_PROFILE, families: [CREATE, READ, UPDATE, DELETE, EXECUTE] },
  {
    name: 'crude_authorize',
    families: [
      CREATE,
      READ,
      UPDATE,
      DELETE,
      EXECUTE,
      family('authorize', 'Grant, approve, deny or revoke: who may do what.', {
        verbs: ['authorize', 'unauthorize', 'grant', 'revoke', 'approve', 'unapprove', 'deny', 'permit'],
        patterns: ACCESS_PATTERNS,
      }),
    ],
  },
  {
    name: 'intent',
    families: [
      family('discover', 'Find out what exists and how it is made.', { verbs: DISCOVERY_VERBS, only: READ_ONLY }),
      family('query', 'Retrieve, search and filter; changes nothing.', { categories: ['READ'] }),
      family('manage', 'Create, change and remove.', { categories: ['CREATE', 'UPDATE', 'DELETE'] }),
      family('operate', 'Run, start, stop and control what is live.', { categories: ['EXECUTE'] }),
    ],
  },
  {
    name: 'database',
    families: [
      family('inspect', 'Look at schemas, tables, indexes and plans.', {
        verbs: [...DISCOVERY_VERBS, 'show'],
        patterns: ['*_{schema,schemas,stats,indexes}'],
        only: READ_ONLY,
      }),
      family('query', 'Read rows and documents; changes nothing.', { categories: ['READ'] }),
      family('mutate', 'Insert, change and remove rows and documents.', { categories: ['CREATE', 'UPDATE', 'DELETE'] }),
      family('administer', 'Run statements; change structure, access and the server itself.', {
        categories: ['EXECUTE'],
        verbs: ['drop', 'truncate', 'alter', 'migrate', 'backup', 'restore', 'grant', 'revoke', 'vacuum', 'reindex'],
        patterns: ['{create,delete,rename}_{database,table,collection,index,schema,user,role}{,s,es}'],
      }),
    ],
  },
  {
    name: 'device',
    families: [
      family('discover', 'Find devices and learn what they can do.', {
        verbs: [...DISCOVERY_VERBS, 'scan', 'identify'],
        only: READ_ONLY,
      }),
      family('observe', 'Read state and measurements; changes nothing.', { categories: ['READ'] }),
      family('control', 'Make devices act.', {
        categories: ['EXECUTE'],
        verbs: ['set', 'turn', 'switch', 'toggle', 'open', 'close', 'lock', 'unlock', 'move', 'press'],
      }),
      family('maintain', 'Configure, pair, update and repair devices.', {
        categories: ['CREATE', 'UPDATE', 'DELETE'],
        verbs: ['calibrate', 'configure', 'install', 'uninstall', 'upgrade', 'reboot', 'reset', 'pair', 'unpair'],
      }),
    ],
  },
  {
    name: 'content',
    families: [
      family('curate', 'Write, edit, organise and remove content.', { categories: ['CREATE', 'UPDATE', 'DELETE'] }),
      family('search', 'Find and read content; changes nothing.', { categories: ['READ'] }),
      family('publish', 'Release, send and share with an audience.', {
        categories: ['EXECUTE'],
        verbs: ['publish', 'unpublish', 'post', 'send', 'share', 'release', 'schedule', 'broadcast', 'announce'],
      }),
    ],
  },
];

function family(
  name: string,
  purpose: string,
  takes: Partial<Pick<FamilyDefinition, 'categories' | 'verbs' | 'patterns' | 'only'>>,
): FamilyDefinition {
  return { name, purpose, categories: [], verbs: [], patterns: [], only: CATEGORIES, ...takes };
}
