import { type Cursor, type Token, textOf } from '../cursor.js';
import { NotProven, quote } from '../not-proven.js';
import {
  BINARY_SYMBOLS,
  BINARY_WORDS,
  CONSTANTS,
  PREDICATES,
  PURE_FUNCTIONS,
  READING_PROCEDURES,
  RESERVED,
  SUBQUERIES,
} from './words.js';

/**
 * Reads a query by a grammar that has no clause in it which writes: what it accepts has no effect, or is an error. It accepts more than
 * Cypher does (precedence and types do not matter for the proof), and far less in all. A keyword of a clause that writes is a name only
 * where nothing but a name can stand: behind a dot or a colon, before a colon in a map, in backticks.
 */
export class CypherReader {
  readonly #cursor: Cursor;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  /** A whole query, with those that UNION joins to it. */
  query(): void {
    const cursor = this.#cursor;
    cursor.inside(() => {
      do {
        if (!cursor.takes('all')) cursor.takes('distinct');
        this.#single();
      } while (cursor.takes('union'));
    });
  }

  /** `YIELD a AS b, c WHERE ..` */
  yield(): void {
    const cursor = this.#cursor;
    if (!cursor.takes('yield')) return;
    if (!cursor.takesSymbol('*'))
      cursor.list(() => {
        this.#variable();
        if (cursor.takes('as')) this.#variable();
      });
    this.where();
  }

  where(): void {
    if (this.#cursor.takes('where')) this.#expression();
  }

  /** Clauses up to RETURN; a procedure may stand alone. */
  #single(): void {
    const cursor = this.#cursor;
    let called = false;
    for (;;) {
      if (cursor.takes('return')) {
        this.#projection();
        return;
      }
      if (cursor.takes('with')) {
        this.#projection();
        this.where();
        called = false;
      } else if (cursor.takes('unwind')) {
        this.#expression();
        cursor.needs('as');
        this.#variable();
        called = false;
      } else if (cursor.takes('call')) called = this.#call();
      else if (called && this.#ends()) return;
      else {
        cursor.takes('optional');
        if (cursor.isAt('call')) continue;
        cursor.needs('match');
        cursor.list(() => this.#path());
        this.where();
        called = false;
      }
    }
  }

  #ends(): boolean {
    const { kind } = this.#cursor.peek();
    return kind === 'end' || this.#cursor.isAt('union') || this.#cursor.isSymbol(';') || this.#cursor.isSymbol('}');
  }

  /** A procedure, or a query in braces; whether a query may end with it. */
  #call(): boolean {
    const cursor = this.#cursor;
    if (cursor.isSymbol('(') || cursor.isSymbol('{')) {
      if (cursor.takesSymbol('(') && !cursor.takesSymbol(')')) {
        if (!cursor.takesSymbol('*')) cursor.list(() => this.#variable());
        cursor.needsSymbol(')');
      }
      this.#braces(() => this.query());
      return false;
    }
    const name = this.#dotted();
    if (!READING_PROCEDURES.has(name.text))
      throw new NotProven(`procedure ${quote(name.text)} ${name.place} is not known to only read`);
    if (cursor.takesSymbol('(') && !cursor.takesSymbol(')')) {
      this.#expressions();
      cursor.needsSymbol(')');
    }
    this.yield();
    return true;
  }

  /** What RETURN and WITH choose, and its order and part. */
  #projection(): void {
    const cursor = this.#cursor;
    cursor.takes('distinct');
    if (!cursor.takesSymbol('*') || cursor.takesSymbol(','))
      cursor.list(() => {
        this.#expression();
        if (cursor.takes('as')) this.#variable();
      });
    if (cursor.takes('order')) {
      cursor.needs('by');
      cursor.list(() => {
        this.#expression();
        ['asc', 'desc', 'ascending', 'descending'].some((word) => cursor.takes(word));
      });
    }
    if (cursor.takes('skip') || cursor.takes('offset')) this.#expression();
    if (cursor.takes('limit')) this.#expression();
  }

  /** `p = shortestPath((a)-[:R*]-(b))` */
  #path(): void {
    const cursor = this.#cursor;
    if (this.#isVariable() && cursor.isSymbol('=', 1)) {
      this.#variable();
      cursor.needsSymbol('=');
    }
    if (cursor.takes('shortestpath') || cursor.takes('allshortestpaths'))
      this.#parenthesised(() => cursor.inside(() => this.#path()));
    else {
      this.#node();
      this.#relationships();
    }
  }

  #node(): void {
    const cursor = this.#cursor;
    this.#parenthesised(() => {
      if (this.#isVariable()) this.#variable();
      this.#labels();
      this.#propertiesAndWhere();
      if (!cursor.isSymbol(')')) cursor.refuse();
    });
  }

  #propertiesAndWhere(): void {
    if (this.#cursor.isSymbol('{')) this.#map();
    else if (this.#cursor.peek().kind === 'parameter') this.#cursor.next();
    this.where();
  }

  /** `:A|B`, `:!A&(B|C)`, `IS A` */
  #labels(): void {
    const cursor = this.#cursor;
    while (cursor.takesSymbol(':') || (cursor.isAt('is') && cursor.peek(1).text !== 'null' && cursor.takes('is')))
      this.#labelExpression();
  }

  #labelExpression(): void {
    const cursor = this.#cursor;
    cursor.inside(() => {
      do {
        // `:A|:B` is an older form.
        cursor.takesSymbol(':');
        while (cursor.takesSymbol('!'));
        if (cursor.isSymbol('(')) this.#parenthesised(() => this.#labelExpression());
        else if (!cursor.takesSymbol('%')) this.#name();
      } while (cursor.takesSymbol('|') || cursor.takesSymbol('&'));
    });
  }

  /** Relationships with the nodes behind them, as many as follow. */
  #relationships(): void {
    while (this.#isRelationship()) {
      this.#relationship();
      this.#node();
    }
  }

  /** `-[`, `--`, `<-[`, `<--`, `-->`: what is subtracted from a node is no list and no negative number. */
  #isRelationship(): boolean {
    const cursor = this.#cursor;
    const ahead = cursor.isSymbol('<') ? 1 : 0;
    return cursor.isSymbol('-', ahead) && (cursor.isSymbol('[', ahead + 1) || cursor.isSymbol('-', ahead + 1));
  }

  #relationship(): void {
    const cursor = this.#cursor;
    cursor.takesSymbol('<');
    cursor.needsSymbol('-');
    if (cursor.takesSymbol('[')) {
      if (this.#isVariable()) this.#variable();
      this.#labels();
      if (cursor.takesSymbol('*')) {
        this.#number();
        if (cursor.takesSymbol('..')) this.#number();
      }
      this.#propertiesAndWhere();
      cursor.needsSymbol(']');
    }
    cursor.needsSymbol('-');
    cursor.takesSymbol('>');
  }

  #number(): void {
    if (this.#cursor.peek().kind === 'number') this.#cursor.next();
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
    if (kind === 'symbol' && BINARY_SYMBOLS.has(text)) {
      cursor.next();
      return true;
    }
    return cursor.takesAnyOf(BINARY_WORDS) || cursor.takes('starts', 'with') || cursor.takes('ends', 'with');
  }

  #operand(): void {
    const cursor = this.#cursor;
    while (cursor.takes('not') || cursor.takesSymbol('-') || cursor.takesSymbol('+'));
    const isGroup = cursor.isSymbol('(');
    this.#primary();
    if (isGroup) this.#relationships();
    for (;;) {
      if (cursor.takesSymbol('.')) this.#name();
      else if (cursor.isSymbol('[')) this.#subscript();
      else if (cursor.isSymbol(':')) this.#labels();
      else if (cursor.takes('is', 'not', 'null') || cursor.takes('is', 'null')) continue;
      else return;
    }
  }

  /** `[1]`, `[1..3]`, `[..3]` */
  #subscript(): void {
    const cursor = this.#cursor;
    cursor.needsSymbol('[');
    if (!cursor.isSymbol('..')) this.#expression();
    if (cursor.takesSymbol('..') && !cursor.isSymbol(']')) this.#expression();
    cursor.needsSymbol(']');
  }

  #primary(): void {
    const cursor = this.#cursor;
    const { kind, text } = cursor.peek();
    if (kind === 'number' || kind === 'string' || kind === 'parameter') cursor.next();
    else if (cursor.isSymbol('(')) this.#group();
    else if (cursor.isSymbol('[')) this.#list();
    else if (cursor.isSymbol('{')) this.#map();
    else if (kind === 'word' && CONSTANTS.has(text)) cursor.next();
    else if (cursor.isAt('case')) this.#case();
    else if (kind === 'word' && SUBQUERIES.has(text) && cursor.isSymbol('{', 1)) this.#subquery();
    else if (kind === 'word' && (cursor.isSymbol('(', 1) || cursor.isSymbol('.', 1))) this.#callOrProperty();
    else this.#reference();
  }

  /** A variable, or what is chosen of it: `n {.name, age: 1}`. */
  #reference(): void {
    this.#variable();
    if (this.#cursor.isSymbol('{')) this.#map();
  }

  /** An expression in parentheses, or the node with which a pattern begins. */
  #group(): void {
    const cursor = this.#cursor;
    this.#parenthesised(() => {
      if (cursor.isSymbol(')')) return;
      if (!cursor.isSymbol(':')) this.#expression();
      this.#labels();
      this.#propertiesAndWhere();
    });
  }

  /** `[1, 2]`, `[x IN list WHERE .. | ..]`, `[(a)-->(b) | b.name]`, `[p = (a)-->(b) | p]` */
  #list(): void {
    const cursor = this.#cursor;
    cursor.needsSymbol('[');
    if (cursor.takesSymbol(']')) return;
    cursor.inside(() => {
      this.#expressions();
      this.where();
      if (cursor.takesSymbol('|')) this.#expression();
    });
    cursor.needsSymbol(']');
  }

  /** Members of a map, or what is chosen of a variable. */
  #map(): void {
    const cursor = this.#cursor;
    this.#braces(() => {
      if (cursor.isSymbol('}')) return;
      cursor.list(() => {
        if (cursor.takesSymbol('.')) {
          if (!cursor.takesSymbol('*')) this.#name();
        } else if (cursor.isSymbol(':', 1)) {
          this.#name();
          cursor.needsSymbol(':');
          this.#expression();
        } else this.#variable();
      });
    });
  }

  #case(): void {
    const cursor = this.#cursor;
    cursor.needs('case');
    if (!cursor.isAt('when')) this.#expression();
    while (cursor.takes('when')) {
      this.#expressions();
      cursor.needs('then');
      this.#expression();
    }
    if (cursor.takes('else')) this.#expression();
    cursor.needs('end');
  }

  /** `EXISTS { (a)-->(b) }`, `COUNT { MATCH .. RETURN .. }` */
  #subquery(): void {
    const cursor = this.#cursor;
    cursor.next();
    this.#braces(() => {
      const isPattern = cursor.isSymbol('(') || (this.#isVariable() && cursor.isSymbol('=', 1));
      if (isPattern || cursor.isAt('match')) this.#patternQuery();
      else this.query();
    });
  }

  /** A query that may end without RETURN, because only whether it has rows matters. */
  #patternQuery(): void {
    const cursor = this.#cursor;
    cursor.takes('match');
    cursor.list(() => this.#path());
    this.where();
    if (!cursor.isSymbol('}')) this.query();
  }

  #callOrProperty(): void {
    const cursor = this.#cursor;
    const first = cursor.peek().text;
    if (cursor.isSymbol('(', 1)) {
      if (PREDICATES.has(first)) this.#predicate();
      else if (first === 'reduce') this.#reduce();
      else if (first === 'shortestpath' || first === 'allshortestpaths') this.#path();
      else this.#function(this.#dotted());
    } else if (this.#isDottedCall()) this.#function(this.#dotted());
    else this.#variable();
  }

  /** `n.name` is a property, `duration.between(..)` a call. */
  #isDottedCall(): boolean {
    let ahead = 1;
    while (this.#cursor.isSymbol('.', ahead)) ahead += 2;
    return this.#cursor.isSymbol('(', ahead);
  }

  #function({ text, place }: Dotted): void {
    const cursor = this.#cursor;
    if (!PURE_FUNCTIONS.has(text)) throw new NotProven(`function ${quote(text)} ${place} is not known to only read`);
    this.#parenthesised(() => {
      if (!cursor.takes('distinct')) cursor.takes('all');
      if (!cursor.takesSymbol('*') && !cursor.isSymbol(')')) this.#expressions();
    });
  }

  /** `all(x IN list WHERE ..)` */
  #predicate(): void {
    this.#cursor.next();
    this.#parenthesised(() => {
      this.#expression();
      this.where();
    });
  }

  /** `reduce(sum = 0, x IN list | sum + x)` */
  #reduce(): void {
    const cursor = this.#cursor;
    cursor.next();
    this.#parenthesised(() => {
      this.#expressions();
      cursor.needsSymbol('|');
      this.#expression();
    });
  }

  /** A name of several parts, in lower case. */
  #dotted(): Dotted {
    const cursor = this.#cursor;
    const { at } = cursor.peek();
    const parts: string[] = [];
    do {
      const token = cursor.next();
      if (token.kind !== 'word') cursor.refuse(token);
      parts.push(textOf(token));
    } while (cursor.takesSymbol('.'));
    return { text: parts.join('.'), place: `(character ${at})` };
  }

  #isVariable(): boolean {
    const { kind, text } = this.#cursor.peek();
    return kind === 'quoted' || (kind === 'word' && !RESERVED.has(text));
  }

  #variable(): void {
    if (!this.#isVariable()) this.#cursor.refuse();
    this.#cursor.next();
  }

  /** A name where nothing else can stand: any word is one. */
  #name(): Token {
    const token = this.#cursor.next();
    if (token.kind !== 'word' && token.kind !== 'quoted') this.#cursor.refuse(token);
    return token;
  }

  #parenthesised(read: () => void): void {
    const cursor = this.#cursor;
    cursor.inside(() => {
      cursor.needsSymbol('(');
      read();
      cursor.needsSymbol(')');
    });
  }

  #braces(read: () => void): void {
    const cursor = this.#cursor;
    cursor.inside(() => {
      cursor.needsSymbol('{');
      read();
      cursor.needsSymbol('}');
    });
  }
}

interface Dotted {
  readonly text: string;
  readonly place: string;
}
