import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { ServiceKeys, StoredServiceKey } from '../../store/service/service-keys.ts';
import { type KeyRole, keyRoles } from './roles.ts';

export type RunCreator = {
  type: 'user' | 'service_account';
  uid: string;
  display_name: string;
};

/** Who uses a key. `source` is the source of runs that are created with it; `API` by default. */
export type KeyOwner = { creator: RunCreator; role: KeyRole; source?: string };
export type ServiceKey = KeyOwner & { key: string };

const storedOwnerSchema = z.object({
  role: z.enum(keyRoles),
  creator: z.object({
    type: z.enum(['user', 'service_account']),
    uid: z.string(),
    display_name: z.string(),
  }),
});

export type Keyring = {
  ownerOf(key: string): Promise<KeyOwner | undefined>;
  /** Makes what a browser stores instead of a valid key: it opens only the pages, until sign-out. */
  issuePass(key: string, seconds: number): Promise<string>;
  /** Undefined once the pass has expired or was ended, or its key was revoked. */
  ownerOfPass(pass: string): Promise<KeyOwner | undefined>;
  endPass(pass: string): Promise<void>;
};

/** Keys and passes are stored by this hash. They're long and random, so one round of SHA-256 is enough. */
export const keyHash = (key: string) => createHash('sha256').update(key).digest('hex');

/** Keys of the configuration and of `keys add`. */
export function createKeyring(
  configured: readonly ServiceKey[],
  stored: Pick<ServiceKeys, 'findValid' | 'addPass' | 'findPass' | 'endPass'>,
): Keyring {
  const known = new Map<string, KeyOwner>(
    configured.map(({ key, ...owner }) => [keyHash(key), owner]),
  );
  async function ownerOfHash(hash: string): Promise<KeyOwner | undefined> {
    const row = known.has(hash) ? undefined : await stored.findValid(hash);
    return known.get(hash) ?? (row && ownerOfRow(row));
  }
  return {
    ownerOf: (key) => ownerOfHash(keyHash(key)),

    async issuePass(key, seconds) {
      const pass = randomBytes(32).toString('base64url');
      const expiresAt = Date.now() + seconds * 1000;
      await stored.addPass({
        pass_hash: keyHash(pass),
        key_hash: keyHash(key),
        expires_at: expiresAt,
      });
      return pass;
    },

    async ownerOfPass(pass) {
      const found = await stored.findPass(keyHash(pass));
      return found && ownerOfHash(found.key_hash);
    },

    endPass: (pass) => stored.endPass(keyHash(pass)),
  };
}

const ownerOfRow = (row: StoredServiceKey): KeyOwner =>
  storedOwnerSchema.parse({
    role: row.role,
    creator: { type: row.creator_type, uid: row.creator_uid, display_name: row.display_name },
  });
