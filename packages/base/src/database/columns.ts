import { z } from 'zod';
import { Secret } from '../encryption/secret.ts';
import { jsonKinds } from './column-types.ts';
import type { Owners } from './tables.ts';

const storedAsJson: ReadonlySet<string> = new Set(jsonKinds);

/**
 * Returns the name and kind of a column: the field's name in snake case, with `_json` at the end if it holds JSON.
 * Booleans are stored as 0 or 1.
 */
function columnOf(key: string, type: z.core.$ZodType) {
  const kind = innerType(type)._zod.def.type;
  const isJson = storedAsJson.has(kind);
  const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { key, isJson, isBoolean: kind === 'boolean', name: isJson ? `${name}_json` : name };
}

function innerType(type: z.core.$ZodType): z.core.$ZodType {
  const isWrapped = type instanceof z.ZodNullable || type instanceof z.ZodCatch;
  return isWrapped ? innerType(type._zod.def.innerType) : type;
}

/**
 * Creates functions that convert a schema's fields to columns and back.
 * @param owners encrypted columns, each with the column that owns its values
 */
export function createColumns<Schema extends z.ZodObject>(schema: Schema, owners: Owners) {
  type Values = z.infer<Schema>;
  const columns = Object.entries(schema.shape).map(([key, type]) => columnOf(key, type));

  return {
    read(row: object): Values {
      const stored = row as Record<string, unknown>;
      const parsed = ({ name, isJson, isBoolean }: (typeof columns)[number]) => {
        const value = stored[name];
        if (isBoolean) return value === 1;
        return isJson && value !== null ? JSON.parse(String(value)) : value;
      };
      return schema.parse(Object.fromEntries(columns.map((each) => [each.key, parsed(each)])));
    },

    /**
     * Returns the columns to write. Leaves out fields that are undefined or not in the schema.
     * @param owner owner of the encrypted values
     */
    write(values: Partial<Values>, owner?: string): Record<string, unknown> {
      const given = values as Record<string, unknown>;
      const written = columns.filter(({ key }) => given[key] !== undefined);
      return Object.fromEntries(
        written.map(({ key, name, isJson, isBoolean }) => {
          const value = given[key];
          if (value === null) return [name, null];
          if (isBoolean) return [name, Number(value)];
          const stored = isJson ? JSON.stringify(value) : value;
          return [name, owners.has(name) ? ownedBy(owner, name, String(stored)) : stored];
        }),
      );
    },
  };
}

function ownedBy(owner: string | undefined, name: string, text: string): Secret {
  if (owner === undefined) throw new Error(`"${name}" is encrypted and needs an owner`);
  return new Secret(name, owner, text);
}
