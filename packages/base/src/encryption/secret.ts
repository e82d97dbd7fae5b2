import type { ColumnType } from 'kysely';
import type { Encryption } from '../secrets/encryption.ts';

/**
 * A value for one encrypted column. Nothing else can be written to that column, and its text is neither logged nor
 * serialized.
 */
export class Secret<Column extends string = string> {
  readonly column: Column;
  readonly #owner: string;
  readonly #text: string;
  readonly #by: 'current' | 'other';

  /**
   * @param owner value of the column that owns the secret, as `encryptedColumns` lists it
   * @param by key to encrypt with; queries that compare encrypted values also use `other`
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

/**
 * Returns a text that binds an encrypted value to its column and owner, so that it can't be decrypted for any other.
 */
export const placeOf = (column: string, owner: string) => `${column} of ${owner}`;

/** Type of a column with encrypted text. Reading returns the decrypted text. */
export type Encrypted<Column extends string> = ColumnType<string, Secret<Column>, Secret<Column>>;
export type EncryptedOrNull<Column extends string> = ColumnType<
  string | null,
  Secret<Column> | null,
  Secret<Column> | null
>;
