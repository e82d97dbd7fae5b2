import type { DatabaseConnection, Dialect, Driver } from 'kysely';
import { owners } from '../../../../src/store/encrypted-columns.ts';
import { type Encryption, Unreadable } from '../secrets/encryption.ts';
import { placeOf, Secret } from './secret.ts';

/**
 * Encrypts what is written to encrypted columns, and decrypts them in the rows that are read. It works between Kysely and
 * the driver, so that no statement can go around it. See docs/decisions/019-secrets-are-encrypted-at-the-driver.md.
 * @param encryption undefined for commands that use no encrypted column
 */
export const encryptingDialect = (
  dialect: Dialect,
  encryption: Encryption | undefined,
): Dialect => ({
  createAdapter: () => dialect.createAdapter(),
  createIntrospector: (db) => dialect.createIntrospector(db),
  createQueryCompiler: () => dialect.createQueryCompiler(),
  createDriver: () => encryptingDriver(dialect.createDriver(), encryption),
});

function encryptingDriver(driver: Driver, encryption: Encryption | undefined): Driver {
  const known = new WeakSet<DatabaseConnection>();
  const acquire = driver.acquireConnection.bind(driver);
  driver.acquireConnection = async () => {
    const connection = await acquire();
    if (!known.has(connection)) encryptOn(connection, encryption);
    known.add(connection);
    return connection;
  };
  return driver;
}

function encryptOn(connection: DatabaseConnection, encryption: Encryption | undefined): void {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = async <Row>(query: Parameters<typeof execute>[0]) => {
    const result = await execute<Row>({
      ...query,
      parameters: query.parameters.map((value) =>
        value instanceof Secret ? encrypted(value, needed(encryption)) : value,
      ),
    });
    decryptRows(result.rows as Record<string, unknown>[], encryption);
    return result;
  };
}

/** A column that isn't in the list would be neither decrypted nor encrypted again by a rotation. */
function encrypted(secret: Secret, encryption: Encryption): string {
  if (!owners.has(secret.column))
    throw new Error(`"${secret.column}" isn't in the list of encrypted columns`);
  return secret.encryptWith(encryption);
}

type Row = Record<string, unknown>;

/** In place: the rows are ours, and were read just now. */
function decryptRows(rows: Row[], encryption: Encryption | undefined): void {
  const encrypted = Object.keys(rows[0] ?? {}).filter((name) => owners.has(name));
  for (const row of rows)
    for (const name of encrypted) {
      const value = row[name];
      if (typeof value === 'string') decryptIn(row, name, value, needed(encryption));
    }
}

/** A value that can't be decrypted throws when it's read, so that it only keeps its own row from being read. */
function decryptIn(row: Row, name: string, value: string, encryption: Encryption): void {
  const place = placeOf(name, ownerOf(name, row));
  try {
    row[name] = encryption.decrypt(value, place);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const get = () => {
      throw error;
    };
    Object.defineProperty(row, name, { get, enumerable: true });
  }
}

function ownerOf(name: string, row: Record<string, unknown>): string {
  const column = owners.get(name) ?? '';
  const owner = row[column];
  if (typeof owner !== 'string') throw new Error(`"${name}" has to be selected with "${column}"`);
  return owner;
}

function needed(encryption: Encryption | undefined): Encryption {
  if (!encryption) throw new Error('This database was opened without an encryption key.');
  return encryption;
}
