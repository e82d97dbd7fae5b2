import type { DatabaseConnection, Dialect, Driver } from 'kysely';
import type { Owners } from '../database/tables.ts';
import { type Encryption, Unreadable } from '../secrets/encryption.ts';
import { placeOf, Secret } from './secret.ts';

/**
 * Encrypts values of encrypted columns when they're written, and decrypts them in rows that are read. Sits between
 * Kysely and the driver, so that no statement bypasses it. See
 * docs/decisions/019-secrets-are-encrypted-at-the-driver.md.
 * @param owners owners of all encrypted columns
 * @param encryption undefined for commands that use no encrypted column
 */
export const encryptingDialect = (
  dialect: Dialect,
  owners: Owners,
  encryption: Encryption | undefined,
): Dialect => ({
  createAdapter: () => dialect.createAdapter(),
  createIntrospector: (db) => dialect.createIntrospector(db),
  createQueryCompiler: () => dialect.createQueryCompiler(),
  createDriver: () => encryptingDriver(dialect.createDriver(), owners, encryption),
});

function encryptingDriver(
  driver: Driver,
  owners: Owners,
  encryption: Encryption | undefined,
): Driver {
  const known = new WeakSet<DatabaseConnection>();
  const acquire = driver.acquireConnection.bind(driver);
  driver.acquireConnection = async () => {
    const connection = await acquire();
    if (!known.has(connection)) encryptOn(connection, owners, encryption);
    known.add(connection);
    return connection;
  };
  return driver;
}

function encryptOn(
  connection: DatabaseConnection,
  owners: Owners,
  encryption: Encryption | undefined,
): void {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = async <Row>(query: Parameters<typeof execute>[0]) => {
    const result = await execute<Row>({
      ...query,
      parameters: query.parameters.map((value) =>
        value instanceof Secret ? encrypted(value, owners, needed(encryption)) : value,
      ),
    });
    decryptRows(result.rows as Record<string, unknown>[], owners, encryption);
    return result;
  };
}

/** Encrypts a secret. Throws if its column isn't listed, because its values would be neither decrypted nor rotated. */
function encrypted(secret: Secret, owners: Owners, encryption: Encryption): string {
  if (!owners.has(secret.column))
    throw new Error(`"${secret.column}" isn't in the list of encrypted columns`);
  return secret.encryptWith(encryption);
}

type Row = Record<string, unknown>;

/** Decrypts the rows in place. That's safe, because the driver has just read them and no other code uses them. */
function decryptRows(rows: Row[], owners: Owners, encryption: Encryption | undefined): void {
  const encrypted = Object.keys(rows[0] ?? {}).filter((name) => owners.has(name));
  for (const row of rows)
    for (const name of encrypted) {
      const value = row[name];
      if (typeof value !== 'string') continue;
      decryptIn(row, { name, owner: owners.get(name) ?? '' }, value, needed(encryption));
    }
}

/** Decrypts one value of a row. If that fails, only reading this value throws, so that other rows stay readable. */
function decryptIn(
  row: Row,
  { name, owner }: { name: string; owner: string },
  value: string,
  encryption: Encryption,
): void {
  const id = row[owner];
  if (typeof id !== 'string') throw new Error(`"${name}" has to be selected with "${owner}"`);
  const place = placeOf(name, id);
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

function needed(encryption: Encryption | undefined): Encryption {
  if (!encryption) throw new Error('This database was opened without an encryption key.');
  return encryption;
}
