import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { ExplainedError } from '../../lib/explained-error.ts';
import type { ServiceKeys, StoredServiceKey } from '../../store/service/service-keys.ts';

const ownerSchema = z.object({
  type: z.enum(['user', 'service_account']),
  uid: z.string(),
  display_name: z.string(),
});
export type KeyOwner = z.infer<typeof ownerSchema>;

/** `source` is what the runs of this key say about where they came from; `API` unless given. */
export type ServiceKey = { key: string; creator: KeyOwner; source?: string };

const entrySchema = z
  .string()
  .regex(/^(service:)?[A-Za-z0-9._@-]+=.{8,}$/, {
    error: 'must be <name>=<key>, or service:<name>=<key>, the key at least 8 characters long',
  })
  .transform((entry): ServiceKey => {
    const [owner = '', key = ''] = splitOnce(entry, '=');
    const service = owner.startsWith('service:');
    const uid = service ? owner.slice('service:'.length) : owner;
    return {
      key,
      creator: { type: service ? 'service_account' : 'user', uid, display_name: uid },
    };
  });

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

/**
 * Reads `RUNS_SERVICE_KEYS`: entries `<name>=<key>` divided by commas; `service:<name>=<key>` for a program's key.
 * @throws ExplainedError that names the entry by its place, never by its content
 */
export function readKeys(text: string): ServiceKey[] {
  const entries = text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean);
  return entries.map((entry, index) => {
    const read = entrySchema.safeParse(entry);
    if (read.success) return read.data;
    throw new ExplainedError(
      `RUNS_SERVICE_KEYS: entry ${index + 1} ${read.error.issues[0]?.message}.`,
    );
  });
}

export type Keyring = {
  ownerOf(key: string): Promise<ServiceKey | undefined>;
  /**
   * What a browser keeps in place of the key: made from it, so it ends when the key is revoked; good for reading the
   * pages only, and nobody can find the key by it.
   */
  passFor(key: string, seconds: number): string;
  ownerOfPass(pass: string): Promise<KeyOwner | undefined>;
};

/** How a key is stored and looked up: it is random and long, so one round of SHA-256 is enough. */
export const keyHash = (key: string) => createHash('sha256').update(key).digest('hex');

/** `<end of its time in seconds>.<signature by the hash of the key>` */
const passOf = (hash: string, end: number) =>
  `${end}.${createHmac('sha256', hash).update(`pages until ${end}`).digest('base64url')}`;

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * Keys from the configuration and those that were made with `keys add`. The former are compared as hashes of equal
 * length, every one of them, so that the time taken says nothing; the latter are found by their hash.
 */
export function createKeyring(
  configured: readonly ServiceKey[],
  stored?: Pick<ServiceKeys, 'findValid' | 'list'>,
): Keyring {
  const known = configured.map((entry) => ({ entry, hash: Buffer.from(keyHash(entry.key)) }));
  return {
    async ownerOf(key) {
      const hash = keyHash(key);
      const bytes = Buffer.from(hash);
      let found: ServiceKey | undefined;
      for (const each of known) if (timingSafeEqual(each.hash, bytes)) found = each.entry;
      if (found) return found;
      const row = await stored?.findValid(hash);
      return row && { key, creator: ownerSchema.parse(ownerOf(row)) };
    },

    passFor: (key, seconds) => passOf(keyHash(key), Math.floor(Date.now() / 1000) + seconds),

    async ownerOfPass(pass) {
      const end = Number(/^(\d{1,12})\./.exec(pass)?.[1] ?? 0);
      if (end * 1000 < Date.now()) return undefined;
      for (const { entry, hash } of known)
        if (isSame(pass, passOf(hash.toString(), end))) return entry.creator;
      const valid = (await stored?.list())?.filter(({ revoked_at }) => revoked_at === null) ?? [];
      const row = valid.find(({ key_hash }) => isSame(pass, passOf(key_hash, end)));
      return row && ownerSchema.parse(ownerOf(row));
    },
  };
}

const ownerOf = (row: StoredServiceKey) => ({
  type: row.creator_type,
  uid: row.creator_uid,
  display_name: row.display_name,
});
