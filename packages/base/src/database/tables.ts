import type { Kysely, Migration } from 'kysely';
import type { Encrypted, EncryptedOrNull } from '../encryption/secret.ts';

/** Database type for code that doesn't know the tables. */
// biome-ignore lint/suspicious/noExplicitAny: Kysely has no other type for unknown tables.
export type AnyDb = Kysely<any>;

/** Tables of one product. Products can share a database, because each has a separate migration history. */
export type Tables = {
  /** Name of the table that lists the applied migrations. */
  history: string;
  /** Migrations by name, applied in the order of their names. */
  migrations: Readonly<Record<string, Migration>>;
  /** Encrypted columns by table, each with the column that owns its values. */
  encryptedColumns: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Tables with a column `rekeyed`, which grows when a key rotation encrypts a row again. */
  rekeyedTables: readonly string[];
};

type EncryptedIn<Table> = {
  [Column in keyof Table & string]: Table[Column] extends
    | Encrypted<Column>
    | EncryptedOrNull<Column>
    ? Column
    : never;
}[keyof Table & string];

/** Encrypted columns of a schema, by table. Leaving one out is a type error. */
export type EncryptedColumnsOf<Schema> = {
  [Table in keyof Schema as EncryptedIn<Schema[Table]> extends never ? never : Table]: Record<
    EncryptedIn<Schema[Table]>,
    keyof Schema[Table] & string
  >;
};

/** Encrypted columns of the tables that all products share. */
const sharedColumns = { proof: 'id' };

/** Encrypted columns by name, each with the column that owns its values. */
export type Owners = ReadonlyMap<string, string>;

/**
 * Collects the encrypted columns of all tables, each with its owner.
 * @throws Error if two columns with the same name have different owners
 */
export function ownersOf(all: readonly Pick<Tables, 'encryptedColumns'>[]): Owners {
  const owners = new Map(Object.entries(sharedColumns));
  for (const { encryptedColumns } of all)
    for (const columns of Object.values(encryptedColumns))
      for (const [name, owner] of Object.entries(columns)) {
        if ((owners.get(name) ?? owner) !== owner)
          throw new Error(`The encrypted column "${name}" has two kinds of owners.`);
        owners.set(name, owner);
      }
  return owners;
}
