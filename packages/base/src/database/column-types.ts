/** Types of columns, derived from the schemas of the stored values. See `columns.ts`. */
import type { Generated } from 'kysely';
import type { z } from 'zod';
import type { Encrypted, EncryptedOrNull } from '../encryption/secret.ts';

/** Zod's type names of values that are stored as JSON. */
export const jsonKinds = ['object', 'record', 'array', 'unknown', 'pipe'] as const;

type Snake<Key> = Key extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

type Inner<Type> = Type extends z.ZodNullable<infer Inside> | z.ZodCatch<infer Inside>
  ? Inner<Inside>
  : Type;

type IsJson<Type> =
  Inner<Type> extends { _zod: { def: { type: (typeof jsonKinds)[number] } } } ? true : false;

type ColumnOf<Key, Type> = IsJson<Type> extends true ? `${Snake<Key>}_json` : Snake<Key>;

/** Resolves to null if the value can be null, else to never. Values of unknown type resolve to never. */
type OrNull<Value> = unknown extends Value ? never : Extract<Value, null>;

/** Maps string enums to plain text, because another version may store a value that this one doesn't know. */
type Plain<Type, Value> =
  IsJson<Type> extends true
    ? string | OrNull<Value>
    : Value extends string
      ? string
      : Value extends boolean
        ? number
        : Value;

type Sealed<Column extends string, Value> = [OrNull<Value>] extends [never]
  ? Encrypted<Column>
  : EncryptedOrNull<Column>;

/** Types of the columns that hold a schema's fields. Columns named in `Secrets` are encrypted. */
export type ColumnsOf<Schema extends z.ZodObject, Secrets extends string = never> = {
  [Key in keyof Schema['shape'] as ColumnOf<Key, Schema['shape'][Key]>]: ColumnOf<
    Key,
    Schema['shape'][Key]
  > extends Secrets
    ? Sealed<ColumnOf<Key, Schema['shape'][Key]>, z.infer<Schema['shape'][Key]>>
    : Plain<Schema['shape'][Key], z.infer<Schema['shape'][Key]>>;
};

/**
 * Columns of tables with leased rows. The version grows with every lease, so that the holder of an earlier lease can't
 * write.
 */
export type LeasedColumns = {
  failures: Generated<number>;
  version: Generated<number>;
  /** Time of the next work on the row, or null if there is none. */
  due_at: number | null;
  lease_owner: string | null;
  lease_until: Generated<number>;
};
