import { MAX_EXPRESSION_LENGTH } from '../protocol/expression/expression.js';
import { MAX_ELEMENTS } from '../protocol/expression/read-field.js';
import type { JsonObject } from '../protocol/json.js';

/** What the reference says of expressions, before their functions. */
export const EXPRESSIONS = `### Expressions

A computed field is an expression over the fields of one item, by their dotted paths; through a list a path means each of its
elements, and a name with spaces or signs stands in back quotes. There are numbers, \`'texts'\`, \`true\`, \`false\` and \`null\`, the
operators \`+ - * / %\`, \`== != < <= > >=\`, \`and\`, \`or\` and \`not\`, parentheses, and the functions below: in all
${MAX_EXPRESSION_LENGTH.toLocaleString('en')} characters.

What is missing is null, and so is what is computed of it; \`x == null\` asks for it. A date is an ISO 8601 text, in UTC where it
names no zone, or a Unix time. \`+\` beside a text writes one after the other. Lists of more than ${MAX_ELEMENTS.toLocaleString('en')} elements are not
looked at, and a text ends after 10,000 characters.`;

/** What the reference says of relations, before and after their keys. */
export const RELATIONS = `## Relations

\`relations\` say which operations of a server tell what is connected with what. \`query_relationships\` walks them, and exists
where some server has them. An entry holds:`;

export const RELATIONS_READING = `An operation that is asked about one node (\`$id\`) tells one side of its connections, or both where \`source\` and \`target\` are
given. One that is not is read once and tells both. Relations of the main file and of the server's own add up. For example:`;

/** The documentation's example of computed fields and relations; a main file that loads. */
export const RESULT_EXAMPLE: JsonObject = {
  mcpServers: {
    tracker: {
      url: 'https://tracker.example.org/mcp',
      operations: {
        list_issues: {
          collection: 'issues',
          presets: { minimal: ['key', 'title'], triage: ['key', 'title', 'labels.name', '_computed.is_stale'] },
          computed: {
            age_days: 'days_since(created_at)',
            is_stale: {
              expression: "state == 'open' and days_since(updated_at) > 30",
              description: 'Open, and silent for a month',
            },
          },
        },
      },
      relations: [
        {
          relationship: 'blocked_by',
          operation: 'get_issue',
          params: { key: '$id' },
          edges: 'links',
          target: 'blocker.key',
        },
        { relationship: 'part_of', operation: 'list_epics', edges: 'epics', source: 'issues.key', target: 'key' },
      ],
    },
  },
};
