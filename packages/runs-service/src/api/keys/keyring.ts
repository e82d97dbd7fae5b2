import { createHash, randomBytes } from 'node:crypto';
import { ExplainedError } from 'base/explained-error';
import { z } from 'zod';
import type { KeyStore, PassOwner, StoredKey } from '../../store/key-store.ts';

/**
 * Roles of keys. `own`: its owner starts runs, and sees and changes those. `all`: acts on everyone's runs. `read`:
 * sees everyone's runs and changes nothing.
 */
export const keyRoles = ['own', 'all', 'read'] as const;
export type KeyRole = (typeof keyRoles)[number];

const storedOwnerSchema = z.object({
  role: z.enum(keyRoles),
  creator: z.object({
    type: z.enum(['user', 'service_account']),
    uid: z.string(),
    display_name: z.string(),
  }),
});

/** Owner of a key. `source` is stored with the runs that the key creates; `API` by default. */
export type KeyOwner = z.infer<typeof storedOwnerSchema> & { source?: string };
/** Person whom Slack identified at sign-in. */
export type SlackPerson = { teamId: string; userId: string };
export type ServiceKey = KeyOwner & { key: string };

export type Keyring = {
  ownerOf(key: string): Promise<KeyOwner | undefined>;
  /** Returns the owner of a valid key with this creator and role. Returns undefined if all of them were revoked. */
  findOwner(creator: { type: string; uid: string }, role: string): Promise<KeyOwner | undefined>;
  /**
   * Creates a pass for a key, which a browser stores instead of the key. The pass opens only web pages, until sign-out.
   */
  issuePass(key: string, seconds: number): Promise<string>;
  /** Returns the owner of a pass. Returns undefined if the pass has expired or was ended, or its key was revoked. */
  ownerOfPass(pass: string): Promise<KeyOwner | undefined>;
  endPass(pass: string): Promise<void>;
  /** Creates a pass for a person in Slack. The pass opens session pages of runs that the person can see in Slack. */
  issueSlackPass(person: SlackPerson, seconds: number): Promise<string>;
  personOfPass(pass: string): Promise<SlackPerson | undefined>;
};

/**
 * Returns the hash under which a key or pass is stored. One round of SHA-256 is enough, because keys and passes are
 * long and random.
 */
export const keyHash = (key: string) => createHash('sha256').update(key).digest('hex');

/**
 * Returns the first characters of a key, to show in lists. They don't reveal the key, because at least 20 more follow.
 */
export const keyPrefix = (key: string) => key.slice(0, 12);

/** Creates a random secret, for a pass or a session link. */
export const newSecret = () => randomBytes(32).toString('base64url');

/** Creates functions that find the owner of a key or pass. Keys come from the configuration and from `keys add`. */
export function createKeyring(
  configured: readonly ServiceKey[],
  stored: Pick<KeyStore, 'findValid' | 'findOf' | 'addPass' | 'findPass' | 'endPass'>,
): Keyring {
  const known = new Map<string, KeyOwner>(
    configured.map(({ key, ...owner }) => [keyHash(key), owner]),
  );
  async function ownerOfHash(hash: string): Promise<KeyOwner | undefined> {
    const row = known.has(hash) ? undefined : await stored.findValid(hash);
    return known.get(hash) ?? (row && ownerOfRow(row));
  }
  async function issue(owner: PassOwner, seconds: number): Promise<string> {
    const pass = newSecret();
    const expires_at = Date.now() + seconds * 1000;
    await stored.addPass({ pass_hash: keyHash(pass), expires_at, ...owner });
    return pass;
  }
  return {
    ownerOf: (key) => ownerOfHash(keyHash(key)),

    async findOwner({ type, uid }, role) {
      const owner = [...known.values()].find(
        (each) => each.creator.type === type && each.creator.uid === uid && each.role === role,
      );
      const row = owner ? undefined : await stored.findOf(type, uid, role);
      return owner ?? (row && ownerOfRow(row));
    },

    issuePass: (key, seconds) => issue({ key_hash: keyHash(key) }, seconds),

    async ownerOfPass(pass) {
      const found = await stored.findPass(keyHash(pass));
      return found?.key_hash ? ownerOfHash(found.key_hash) : undefined;
    },

    issueSlackPass: ({ teamId, userId }, seconds) =>
      issue({ slack_team_id: teamId, slack_user_id: userId }, seconds),

    async personOfPass(pass) {
      const found = await stored.findPass(keyHash(pass));
      if (!found?.slack_team_id || !found.slack_user_id) return undefined;
      return { teamId: found.slack_team_id, userId: found.slack_user_id };
    },

    endPass: (pass) => stored.endPass(keyHash(pass)),
  };
}

const ownerOfRow = (row: StoredKey): KeyOwner =>
  storedOwnerSchema.parse({
    role: row.role,
    creator: { type: row.creator_type, uid: row.creator_uid, display_name: row.display_name },
  });

const form = /^(service:)?([\w.@-]+?)(?::(own|all|read))?=(.{32,})$/;

/**
 * Parses `RUNS_SERVICE_KEYS`: a list of `<name>=<key>`, or `service:<name>=<key>` for a program; `:all` or `:read` after
 * the name sets the role.
 * @throws ExplainedError with the number of the entry, never its content
 */
export function readKeys(text: string): ServiceKey[] {
  const entries = text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean);
  return entries.map((entry, index) => {
    const [, service, uid, role = 'own', key] = form.exec(entry) ?? [];
    if (uid === undefined || key === undefined)
      throw new ExplainedError(
        `RUNS_SERVICE_KEYS: entry ${index + 1} must be <name>=<key> or service:<name>=<key>, with :all or :read after the name for another role, and a key of at least 32 characters. To make a key: openssl rand -hex 32`,
      );
    const type = service ? 'service_account' : 'user';
    return { key, role: role as KeyRole, creator: { type, uid, display_name: uid } };
  });
}
