import type { Check } from './check.ts';
import { directMessages } from './checks/direct-messages.ts';
import { guest, otherCompany, workspaces } from './checks/elsewhere.ts';
import { scopes, who } from './checks/identity.ts';
import { commands, form, longAnswer, manifest } from './checks/in-channels.ts';
import { expansion, mismatch } from './checks/limits.ts';
import { messageLife } from './checks/messages.ts';
import { ephemeral, upload } from './checks/private-and-files.ts';
import { links, session, step } from './checks/running.ts';

/** All checks, in the order in which they run. Checks that need no person come first. docs/tested.md lists them. */
export const checks: readonly Check[] = [
  ...[scopes, who, messageLife, mismatch, expansion, ephemeral, upload],
  ...[manifest, commands, form, longAnswer, directMessages, session, links],
  ...[workspaces, otherCompany, guest, step],
];
