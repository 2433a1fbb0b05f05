import { describe, expect, it } from 'vitest';
import { type Operation, SQL_DIALECTS, type SqlDialect } from '../../../src/base/protocol/operation.js';
import { describeDialect, productOfFailure } from '../../../src/catalog/told-dialect.js';
import { anOperation } from '../../support/an-operation.js';

function runner(dialects: readonly SqlDialect[] = SQL_DIALECTS) {
  const operation = anOperation();
  const statement = { language: 'sql' as const, dialects, parameter: 'sql', companions: [] };
  return { ...operation, classification: { ...operation.classification, statement } };
}

describe('describeDialect', () => {
  const tell = (operation: Operation, texts: readonly string[], products: readonly string[] = []): string =>
    describeDialect(operation, { texts, products });

  it("names the product of the tool's own texts, else that of its server's answers or texts, else says that none is told", () => {
    expect(tell(runner(['sqlite']), [], ['PostgreSQL'])).toBe('Speaks the SQL of SQLite.');
    expect(tell(runner(), ['the MariaDB database'], ['MySQL', 'SQLite'])).toBe(
      "Speaks the SQL of MySQL or SQLite, as its server's answers say.",
    );
    expect(tell(runner(['sqlite']), ['for PostgreSQL'])).toBe('Speaks the SQL of SQLite.');
    expect(tell(runner(), ['shop_db', 'Lists the tables of the MariaDB database'])).toBe(
      "Speaks the SQL of MariaDB, as its server's texts say.",
    );
    expect(tell(runner(), ['shop', 'Execute a raw SQL query'])).toMatch(/^Its server does not say which SQL/);
    expect(tell(runner(), ['shop'])).toMatch(/^Its server does not say which SQL/);
    expect(tell(runner(), ['Snowflake and MySQL'])).toMatch(/^Its server does not say which SQL/);
    expect(tell(anOperation(), ['SQLite'])).toBe('');
  });
});

describe('productOfFailure', () => {
  it.each([
    ['SQLite', 'SQLITE_ERROR: no such table: invoices'],
    ['SQLite', 'near "FORM": syntax error'],
    ['PostgreSQL', 'relation "sqlite_master" does not exist'],
    ['PostgreSQL', 'ERROR:  syntax error at or near "FORM"'],
    [
      'MySQL',
      'You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for',
    ],
    ['MariaDB', 'check the manual that corresponds to your MariaDB server version for the right syntax'],
    ['SQL Server', "Invalid object name 'dbo.invoices'."],
    ['Oracle', 'ORA-00942: table or view does not exist'],
    [undefined, 'The file does not exist'],
  ])('reads %s in: %s', (product, words) => {
    expect(productOfFailure(runner(), words)).toBe(product);
    expect(productOfFailure(anOperation(), words)).toBeUndefined();
  });
});
