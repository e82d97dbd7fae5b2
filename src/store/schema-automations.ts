import type { ColumnsOf, LeasedColumns } from 'base/database/column-types';
import type { EncryptedOrNull } from 'base/encryption/secret';
import type { Generated } from 'kysely';
import type { automationSchema } from '../automations/automation.ts';
import type { firingSchema } from '../automations/firing.ts';

/** Automations. A schedule's row is due at `next_at`, and leased while its firing is stored. */
export type AutomationsTable = LeasedColumns &
  Omit<ColumnsOf<typeof automationSchema, 'definition_json'>, 'revision' | 'failed_starts'> & {
    revision: Generated<number>;
    failed_starts: Generated<number>;
    trigger_kind: string;
    /** Time when it got its channel. Null if it was created there. People there don't see what fired it before. */
    moved_at: number | null;
    /** Emoji of a reaction. Null for other triggers. */
    trigger_key: string | null;
    /** Secret that signs a webhook's deliveries, or a bearer token. Null for other triggers. */
    secret: EncryptedOrNull<'secret'>;
    /** Earlier secret, which works until `previous_secret_until`. */
    previous_secret: EncryptedOrNull<'previous_secret'>;
    previous_secret_until: number | null;
  };

/** Firings of automations, with their results. */
export type AutomationFiringsTable = LeasedColumns &
  ColumnsOf<typeof firingSchema, 'content_json'> & {
    /** Body of a webhook's delivery. */
    body: EncryptedOrNull<'body'>;
  };
