import type { SchemaCode, SqlDialect } from '../../../base/protocol/operation.js';
import { type Cursor, type Token, textOf } from '../cursor.js';
import { NotProven } from '../not-proven.js';
import {
  BINARY_WORDS,
  CREDENTIAL_TABLES,
  EPONYMOUS_TABLES,
  FRAMES,
  isPureFunction,
  JOINS,
  LITERAL_TYPES,
  NEGATABLE,
  NOT_BINARY,
  PREFIX_OPERATORS,
  QUANTIFIERS,
  QUERY_STARTS,
  RESERVED,
  SEQUENCE_NAMES,
  SET_OPERATORS,
  STATEMENT_WORDS,
  UNITS,
  VALUE_WORDS,
} from './dialect.js';
import { ReturnedColumns } from './returned-columns.js';
import { type CallParts, SPECIAL_CALLS } from './special-calls.js';
import { readType } from './type.js';

/** What may run the statement. */
export interface Database {
  readonly dialects: readonly SqlDialect[];
  readonly schema: SchemaCode;
}

/** A name with its qualifiers, as it reads in lower case. */
type Name = readonly Token[];

/**
 * Reads a query by a grammar that has nothing in it but reading: what it accepts has no effect in any of the dialects, or is an error
 * there. It accepts more than they do (precedence does not matter for the proof), and far less than each of them.
 */
export class QueryReader {
  readonly #cursor: Cursor;
  readonly #dialects: readonly SqlDialect[];
  readonly #schema: SchemaCode;
  readonly #columns = new ReturnedColumns();

  constructor(cursor: Cursor, { dialects, schema }: Database) {
    this.#cursor = cursor;
    this.#dialects = dialects;
    this.#schema = schema;
  }

  /** A whole query; also holds every column against what PostgreSQL could take for a call. */
  read(): void {
    this.#query();
    if (this.#dialects.includes('postgresql')) this.#columns.require(this.#schema);
  }

  #query(): void {
    const cursor = this.#cursor;
    cursor.inside(() => {
      if (cursor.takes('with')) {
        cursor.takes('recursive');
        cursor.list(() => this.#commonTable());
      }
      this.#term();
      this.#setOperations();
      this.#tail();
    });
  }

  #commonTable(): void {
    const cursor = this.#cursor;
    this.#identifier();
    if (cursor.isSymbol('(')) this.#columnNames();
    cursor.needs('as');
    cursor.takes('not');
    cursor.takes('materialized');
    this.#parenthesised(() => this.#query());
  }

  #setOperations(): void {
    const cursor = this.#cursor;
    while (cursor.takesAnyOf(SET_OPERATORS)) {
      if (!cursor.takes('all')) cursor.takes('distinct');
      this.#term();
    }
  }

  #term(): void {
    const cursor = this.#cursor;
    if (cursor.isSymbol('(')) this.#parenthesised(() => this.#query());
    else if (cursor.takes('values')) cursor.list(() => this.#parenthesised(() => this.#expressions()));
    else this.#select();
  }

  #select(): void {
    const cursor = this.#cursor;
    cursor.needs('select');
    if (cursor.takes('distinct')) {
      if (cursor.takes('on')) this.#parenthesised(() => this.#expressions());
    } else cursor.takes('all');
    cursor.list(() => this.#item());
    if (cursor.takes('from')) cursor.list(() => this.#source());
    if (cursor.takes('where')) this.#expression();
    if (cursor.takes('group', 'by')) this.#grouping();
    if (cursor.takes('having')) this.#expression();
    if (cursor.takes('window'))
      cursor.list(() => {
        this.#identifier();
        cursor.needs('as');
        this.#window();
      });
    if (cursor.takes('qualify')) this.#expression();
  }

  #item(): void {
    const cursor = this.#cursor;
    if (cursor.takesSymbol('*')) return;
    this.#expression();
    this.#alias();
  }

  /** Behind AS also as a literal; without it, PostgreSQL reads `name 'x'` as a conversion. */
  #alias(): string | undefined {
    const cursor = this.#cursor;
    if (cursor.takes('as')) return cursor.peek().kind === 'string' ? textOf(cursor.next()) : this.#identifier();
    return cursor.isAnyOf(STATEMENT_WORDS) || !this.#isIdentifier() ? undefined : this.#identifier();
  }

  #source(): void {
    const cursor = this.#cursor;
    cursor.inside(() => {
      this.#singleSource();
      while (cursor.isAnyOf(JOINS)) this.#join();
    });
  }

  #join(): void {
    const cursor = this.#cursor;
    cursor.takes('natural');
    if (['left', 'right', 'full'].some((side) => cursor.takes(side))) cursor.takes('outer');
    else if (!cursor.takes('inner')) cursor.takes('cross');
    cursor.needs('join');
    this.#singleSource();
    if (cursor.takes('on')) this.#expression();
    else if (cursor.takes('using')) this.#columnNames();
  }

  #singleSource(): void {
    const cursor = this.#cursor;
    cursor.takes('lateral');
    if (cursor.isSymbol('(')) {
      this.#parenthesised(() => {
        if (cursor.isAnyOf(QUERY_STARTS)) this.#query();
        else {
          this.#source();
          // `((SELECT ..) UNION (SELECT ..))`
          this.#setOperations();
        }
      });
      const { alias, columns } = this.#tableAlias();
      if (alias !== undefined) this.#columns.addRows(alias, columns);
      return;
    }
    const name = this.#name();
    if (!cursor.isSymbol('(')) {
      this.#requireTable(name);
      const { alias = textOf(name.at(-1)), columns } = this.#tableAlias();
      this.#columns.addRows(alias, columns);
      return;
    }
    this.#requireFunction(name);
    this.#parenthesised(() => {
      if (!cursor.isSymbol(')')) this.#expressions();
    });
    cursor.takes('with', 'ordinality');
    const own = textOf(name.at(-1));
    const { alias = own, columns } = this.#tableAlias();
    this.#columns.add(own, alias, columns);
  }

  #tableAlias(): { readonly alias?: string; readonly columns?: readonly string[] } {
    const alias = this.#alias();
    if (alias === undefined) return {};
    return this.#cursor.isSymbol('(') ? { alias, columns: this.#columnNames() } : { alias };
  }

  #requireTable(name: Name): void {
    const last = textOf(name.at(-1));
    const readable = name.map(textOf).join('.');
    if ((last.startsWith('pragma_') || EPONYMOUS_TABLES.has(last)) && !this.#isPure(last))
      this.#cursor.refuse(name.at(-1));
    if (CREDENTIAL_TABLES.has(last) || CREDENTIAL_TABLES.has(readable))
      throw new NotProven(`table '${readable}' holds credentials`);
  }

  #grouping(): void {
    const cursor = this.#cursor;
    cursor.takes('all');
    cursor.list(() => {
      if (cursor.takes('grouping', 'sets') || cursor.takes('rollup') || cursor.takes('cube'))
        this.#parenthesised(() => cursor.list(() => this.#groupingSet()));
      else this.#expression();
    });
    cursor.takes('with', 'rollup');
  }

  #groupingSet(): void {
    const cursor = this.#cursor;
    if (cursor.isSymbol('(') && cursor.isSymbol(')', 1)) this.#parenthesised(() => undefined);
    else this.#expression();
  }

  /** ORDER BY, LIMIT and what else follows a query. */
  #tail(): void {
    const cursor = this.#cursor;
    if (cursor.takes('order', 'by')) this.#order();
    if (cursor.takes('limit')) {
      if (!cursor.takes('all')) this.#expressions();
    }
    if (cursor.takes('offset')) {
      this.#expression();
      if (!cursor.takes('rows')) cursor.takes('row');
    }
    if (cursor.takes('fetch')) {
      if (!cursor.takes('first')) cursor.needs('next');
      if (cursor.peek().kind === 'number' || cursor.peek().kind === 'parameter') cursor.next();
      if (!cursor.takes('rows')) cursor.needs('row');
      if (!cursor.takes('only')) cursor.needs('with', 'ties');
    }
  }

  #order(): void {
    const cursor = this.#cursor;
    cursor.list(() => {
      this.#expression();
      if (!cursor.takes('asc')) cursor.takes('desc');
      if (cursor.takes('nulls') && !cursor.takes('first')) cursor.needs('last');
    });
  }

  #expressions(): void {
    this.#cursor.list(() => this.#expression());
  }

  /** Operands with operators between them; which of them belong together does not matter. */
  #expression(): void {
    this.#cursor.inside(() => {
      do this.#operand();
      while (this.#takesBinary());
    });
  }

  #takesBinary(): boolean {
    const cursor = this.#cursor;
    const { kind, text } = cursor.peek();
    if (kind === 'symbol' && !NOT_BINARY.has(text)) {
      cursor.next();
      return true;
    }
    if (cursor.isAt('not') && NEGATABLE.has(cursor.peek(1).text)) cursor.next();
    if (cursor.takesAnyOf(BINARY_WORDS) || cursor.takes('similar', 'to') || cursor.takes('at', 'time', 'zone'))
      return true;
    if (cursor.takes('in')) {
      // The list or the query is the operand.
      if (!cursor.isSymbol('(')) cursor.refuse();
      return true;
    }
    if (!cursor.takes('is')) return false;
    cursor.takes('not');
    cursor.takes('distinct', 'from');
    return true;
  }

  #operand(): void {
    const cursor = this.#cursor;
    while (
      cursor.takes('not') ||
      (cursor.peek().kind === 'symbol' && PREFIX_OPERATORS.has(cursor.peek().text) && cursor.next())
    );
    this.#primary();
    for (;;) {
      if (cursor.takesSymbol('::')) this.#type();
      else if (cursor.takes('collate')) this.#name();
      else if (cursor.takesSymbol('[')) this.#subscript();
      else if (!cursor.takes('isnull') && !cursor.takes('notnull')) return;
    }
  }

  #type(): void {
    readType(this.#cursor, this.#schema === 'harmless' ? () => this.#name() : undefined);
  }

  #subscript(): void {
    this.#expression();
    this.#cursor.needsSymbol(']');
  }

  #primary(): void {
    const cursor = this.#cursor;
    const { kind } = cursor.peek();
    if (kind === 'number' || kind === 'string' || kind === 'parameter') cursor.next();
    else if (cursor.isSymbol('(')) this.#group();
    else if (kind === 'quoted') this.#reference();
    else if (kind === 'word') this.#wordPrimary();
    else cursor.refuse();
  }

  /** A query, or expressions, in parentheses. */
  #group(): void {
    const cursor = this.#cursor;
    this.#parenthesised(() => {
      if (cursor.isAnyOf(QUERY_STARTS)) this.#query();
      else {
        this.#expressions();
        this.#setOperations();
        this.#tail();
      }
    });
  }

  #wordPrimary(): void {
    const cursor = this.#cursor;
    if (cursor.takes('case')) this.#case();
    else if (cursor.takes('exists')) this.#group();
    else if (cursor.takesAnyOf(QUANTIFIERS)) this.#group();
    else if (cursor.takes('interval')) this.#interval();
    else if (cursor.isAt('array') && cursor.isSymbol('[', 1)) this.#array();
    else if (cursor.isAt('array') && cursor.isSymbol('(', 1)) {
      cursor.next();
      this.#group();
    } else if (cursor.isAnyOf(LITERAL_TYPES) && cursor.peek(1).kind === 'string') {
      cursor.next();
      cursor.next();
    } else if (cursor.isSymbol('(', 1)) this.#call();
    else if (!cursor.takesAnyOf(VALUE_WORDS)) this.#reference();
  }

  #case(): void {
    const cursor = this.#cursor;
    if (!cursor.isAt('when')) this.#expression();
    while (cursor.takes('when')) {
      this.#expression();
      cursor.needs('then');
      this.#expression();
    }
    if (cursor.takes('else')) this.#expression();
    cursor.needs('end');
  }

  #interval(): void {
    const cursor = this.#cursor;
    if (cursor.isSymbol('(')) this.#group();
    else this.#primary();
    if (cursor.takesAnyOf(UNITS)) return;
  }

  #array(): void {
    const cursor = this.#cursor;
    if (cursor.isAt('array')) cursor.next();
    cursor.needsSymbol('[');
    if (!cursor.isSymbol(']'))
      cursor.list(() => (cursor.isSymbol('[') ? cursor.inside(() => this.#array()) : this.#expression()));
    cursor.needsSymbol(']');
  }

  /** A column, with `.*` for all of them; never a call. */
  #reference(): void {
    const cursor = this.#cursor;
    const name = this.#name(true);
    if (cursor.isSymbol('(')) throw this.#unknownFunction(name);
    const [column, qualifier] = [name.at(-1), name.at(-2)];
    if (column !== undefined && qualifier !== undefined) this.#columns.refer(textOf(qualifier), column);
  }

  #call(): void {
    const cursor = this.#cursor;
    const special = SPECIAL_CALLS.get(cursor.peek().text);
    if (special !== undefined) {
      this.#requireFunction([cursor.next()]);
      this.#parenthesised(() => special(this.#parts));
      return;
    }
    this.#requireFunction([cursor.next()]);
    this.#parenthesised(() => this.#arguments());
    if (cursor.takes('within', 'group'))
      this.#parenthesised(() => {
        cursor.needs('order', 'by');
        this.#order();
      });
    if (cursor.takes('filter'))
      this.#parenthesised(() => {
        cursor.needs('where');
        this.#expression();
      });
    if (cursor.takes('ignore', 'nulls') || cursor.takes('respect', 'nulls') || cursor.takes('over')) {
      if (!cursor.isSymbol('(')) cursor.takes('over');
      if (cursor.isSymbol('(')) this.#window();
      else this.#identifier();
    }
  }

  #arguments(): void {
    const cursor = this.#cursor;
    if (cursor.isSymbol(')') || (cursor.isSymbol('*') && cursor.isSymbol(')', 1) && cursor.takesSymbol('*'))) return;
    if (!cursor.takes('distinct')) cursor.takes('all');
    if (cursor.isAnyOf(QUERY_STARTS)) this.#query();
    else this.#expressions();
    if (cursor.takes('order', 'by')) this.#order();
    if (cursor.takes('separator') && cursor.next().kind !== 'string') cursor.refuse();
    if (cursor.takes('using') && cursor.next().kind !== 'word') cursor.refuse();
  }

  #window(): void {
    const cursor = this.#cursor;
    this.#parenthesised(() => {
      if (this.#isIdentifier() && !cursor.isAnyOf(FRAMES) && !cursor.isAt('partition')) this.#identifier();
      if (cursor.takes('partition', 'by')) this.#expressions();
      if (cursor.takes('order', 'by')) this.#order();
      if (cursor.takesAnyOf(FRAMES)) this.#frame();
    });
  }

  #frame(): void {
    const cursor = this.#cursor;
    if (cursor.takes('between')) {
      this.#bound();
      cursor.needs('and');
    }
    this.#bound();
  }

  #bound(): void {
    const cursor = this.#cursor;
    if (cursor.takes('current', 'row')) return;
    if (!cursor.takes('unbounded')) this.#primary();
    if (!cursor.takes('preceding')) cursor.needs('following');
  }

  readonly #parts: CallParts = {
    expression: () => this.#expression(),
    expressions: () => this.#expressions(),
    operand: () => this.#operand(),
    type: () => this.#type(),
    takes: (...words) => this.#cursor.takes(...words),
    takesComma: () => this.#cursor.takesSymbol(','),
    needs: (...words) => this.#cursor.needs(...words),
    word: () => {
      const token = this.#cursor.next();
      if (token.kind !== 'word' && token.kind !== 'string') this.#cursor.refuse(token);
    },
  };

  #parenthesised(read: () => void): void {
    const cursor = this.#cursor;
    cursor.inside(() => {
      cursor.needsSymbol('(');
      read();
      cursor.needsSymbol(')');
    });
  }

  #columnNames(): readonly string[] {
    const names: string[] = [];
    this.#parenthesised(() => this.#cursor.list(() => names.push(this.#identifier())));
    return names;
  }

  #name(withStar = false): Name {
    const cursor = this.#cursor;
    const name: Token[] = [this.#identifierToken()];
    while (cursor.takesSymbol('.')) {
      if (withStar && cursor.takesSymbol('*')) return [];
      name.push(this.#identifierToken());
      if (name.length > LONGEST_NAME) cursor.refuse();
    }
    return name;
  }

  #identifier(): string {
    return textOf(this.#identifierToken());
  }

  #identifierToken(): Token {
    const cursor = this.#cursor;
    if (!this.#isIdentifier()) cursor.refuse();
    const token = cursor.next();
    if (SEQUENCE_NAMES.has(textOf(token)))
      throw new NotProven(`'${token.text}' (character ${token.at}) may advance a sequence`);
    return token;
  }

  #isIdentifier(): boolean {
    const { kind, text } = this.#cursor.peek();
    return kind === 'quoted' || (kind === 'word' && !RESERVED.has(text));
  }

  #isPure(name: string): boolean {
    return isPureFunction(name, this.#dialects);
  }

  /** A name that is qualified or quoted, and for MySQL one with a space behind it, may be a user's own function. */
  #requireFunction(name: Name): void {
    const [first, ...rest] = name;
    if (first?.kind !== 'word' || rest.length > 0 || !this.#isPure(first.text)) throw this.#unknownFunction(name);
    const isApart = first.at + first.text.length < this.#cursor.peek().at;
    if (isApart && this.#dialects.some((dialect) => dialect === 'mysql' || dialect === 'mariadb'))
      throw this.#unknownFunction(name);
  }

  #unknownFunction(name: Name): NotProven {
    const readable = name.map(({ text }) => text).join('.');
    // Of a server that speaks one of several, a function of some is another's own.
    const unknown = this.#dialects.filter((dialect) => !isPureFunction(readable, [dialect]));
    const where = unknown.length > 0 && unknown.length < this.#dialects.length ? ` in ${unknown.join(', ')}` : '';
    return new NotProven(`function '${readable}' (character ${name[0]?.at ?? 0}) is not known to only read${where}`);
  }
}

/** More qualifiers than database, schema and table has no column. */
const LONGEST_NAME = 4;
