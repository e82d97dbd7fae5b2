import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const manifestSchema = z.looseObject({
  oauth_config: z.looseObject({
    scopes: z.looseObject({
      bot: z.array(z.string()),
      bot_optional: z.array(z.string()).default([]),
    }),
  }),
});

/** Scopes of the app. Without an optional scope, a feature is off; see `scope-features.ts`. */
export type AppScopes = { required: readonly string[]; optional: readonly string[] };

/** Required in the manifest, but `slash-agent manifest --plain` leaves it out. */
const agentScope = 'assistant:write';

/** Returns the scopes that the manifest requests. The manifest lists optional scopes among all. */
export function readAppScopes(readsEmail: boolean): AppScopes {
  const text = readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8');
  const { bot, bot_optional } = manifestSchema.parse(parse(text)).oauth_config.scopes;
  const optional = [agentScope, ...bot_optional];
  const required = bot.filter((scope) => !optional.includes(scope));
  return { required: [...required, ...(readsEmail ? ['users:read.email'] : [])], optional };
}

/** `granted` and `requested` are counts that include optional scopes. */
export type MissingScopes = AppScopes & { granted: number; requested: number };

/** Compares the manifest's scopes with those of a token. */
export function missingScopes(
  { required, optional }: AppScopes,
  granted: readonly string[],
): MissingScopes {
  const has = new Set(granted);
  const without = (scopes: readonly string[]) => scopes.filter((scope) => !has.has(scope));
  const missing = { required: without(required), optional: without(optional) };
  const requested = required.length + optional.length;
  const lacking = missing.required.length + missing.optional.length;
  return { ...missing, granted: requested - lacking, requested };
}

export const grantedSentence = ({ granted, requested }: MissingScopes): string =>
  `Slack granted ${granted} of ${requested} scopes`;
