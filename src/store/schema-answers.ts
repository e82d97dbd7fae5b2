import type { Encrypted, EncryptedOrNull } from './encryption/secret.ts';

/** One row per question of an agent that someone answered. See `answers.ts`. */
export type AnswersTable = {
  /** That of the question's post. */
  id: string;
  team_id: string;
  request_id: string;
  answered_by: string;
  answered_at: number;
  /** When it was last sent, unless the service certainly didn't get it. */
  began_at: number | null;
  /** When the follower tries that again. */
  retry_at: number | null;
  /** See `AnswerOutcome`; null until the service has answered. */
  outcome: string | null;
  given_json: Encrypted<'given_json'>;
  problem: EncryptedOrNull<'problem'>;
};
