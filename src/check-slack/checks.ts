import type { Check } from './check.ts';
import { scopes, who } from './checks/identity.ts';
import { expansion, mismatch } from './checks/limits.ts';
import { messageLife } from './checks/messages.ts';
import { ephemeral, upload } from './checks/private-and-files.ts';

/** In the order in which they're done. docs/real-slack.md lists them. */
export const checks: readonly Check[] = [
  scopes,
  who,
  messageLife,
  mismatch,
  expansion,
  ephemeral,
  upload,
];
