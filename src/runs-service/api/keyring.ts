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

/** `source` is the source of runs that are created with this key; `API` by default. */
export type ServiceKey = { key: string; creator: KeyOwner; source?: string };

const entrySchema = z
  .string()
  .regex(/^(service:)?[A-Za-z0-9._@-]+=.{8,}$/, {
    error: 'must be <name>=<key> or service:<name>=<key>, with a key of at least 8 characters',
  })
  .transform((entry): ServiceKey => {
    const at = entry.indexOf('=');
    const owner = entry.slice(0, at);
    const isService = owner.startsWith('service:');
    const uid = isService ? owner.slice('service:'.length) : owner;
    return {
      key: entry.slice(at + 1),
      creator: { type: isService ? 'service_account' : 'user', uid, display_name: uid },
    };
  });

/**
 * Parses `RUNS_SERVICE_KEYS`: a list of `<name>=<key>`, or `service:<name>=<key>` for a program.
 * @throws ExplainedError with the number of the entry, never its content
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
   * What a browser stores instead of the key. It opens only the pages, ends when the key is revoked, and doesn't reveal
   * the key.
   */
  passFor(key: string, seconds: number): string;
  ownerOfPass(pass: string): Promise<KeyOwner | undefined>;
};

/** Keys are stored by this hash. They're long and random, so one round of SHA-256 is enough. */
export const keyHash = (key: string) => createHash('sha256').update(key).digest('hex');

/** `<when it expires, in seconds>.<signature with the hash of the key>` */
const passOf = (hash: string, end: number) =>
  `${end}.${createHmac('sha256', hash).update(`pages until ${end}`).digest('base64url')}`;

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * Keys of the configuration and of `keys add`. Compares the hashes of all configured keys, so that the time taken
 * reveals nothing.
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
      const [found] = known.filter((each) => timingSafeEqual(each.hash, bytes));
      if (found) return found.entry;
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
