import type { ColumnType } from 'kysely';
import type { Encryption } from '../secrets/encryption.ts';

/** A value for this encrypted column. Nothing else can be written there, and its text is neither logged nor serialized. */
export class Secret<Column extends string = string> {
  readonly column: Column;
  readonly #owner: string;
  readonly #text: string;
  readonly #by: 'current' | 'other';

  /**
   * @param owner the value of the column that `encryptedColumns` names
   * @param by for comparisons: a value may still have the other key
   */
  constructor(column: Column, owner: string, text: string, by: 'current' | 'other' = 'current') {
    this.column = column;
    this.#owner = owner;
    this.#text = text;
    this.#by = by;
  }

  encryptWith(encryption: Encryption): string {
    return encryption.encrypt(this.#text, placeOf(this.column, this.#owner), this.#by);
  }
}

/** Where a value belongs: it can be read nowhere else. */
export const placeOf = (column: string, owner: string) => `${column} of ${owner}`;

/** A text that is encrypted in the database. Rows that are read have it decrypted. */
export type Encrypted<Column extends string> = ColumnType<string, Secret<Column>, Secret<Column>>;
export type EncryptedOrNull<Column extends string> = ColumnType<
  string | null,
  Secret<Column> | null,
  Secret<Column> | null
>;
