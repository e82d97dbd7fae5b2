import type { ColumnType } from 'kysely';
import type { Encryption } from '../../lib/encryption.ts';

/** A value for an encrypted column. Nothing else can be written there, and its text is neither logged nor serialized. */
export class Secret {
  readonly #owner: string;
  readonly #text: string;
  readonly #by: 'current' | 'other';

  /**
   * @param owner the value of the column that `encryptedColumns` names
   * @param by for comparisons: a value may still have the other key
   */
  constructor(owner: string, text: string, by: 'current' | 'other' = 'current') {
    this.#owner = owner;
    this.#text = text;
    this.#by = by;
  }

  encryptWith(encryption: Encryption): string {
    return encryption.encrypt(this.#text, this.#owner, this.#by);
  }
}

/** A text that is encrypted in the database. Rows that are read have it decrypted. */
export type Encrypted = ColumnType<string, Secret, Secret>;
export type EncryptedOrNull = ColumnType<string | null, Secret | null, Secret | null>;
