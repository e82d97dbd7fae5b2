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

/** Slack scopes of the app. Without an optional scope, the feature that needs it is off; see `scope-features.ts`. */
export type AppScopes = { required: readonly string[]; optional: readonly string[] };

/** Scope for agent features. The app works without it, because `slash-agent manifest --plain` leaves it out. */
const agentScope = 'assistant:write';

/** Returns the scopes in the manifest, split into required and optional ones. */
export function readAppScopes(readsEmail: boolean): AppScopes {
  const text = readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8');
  const { bot, bot_optional } = manifestSchema.parse(parse(text)).oauth_config.scopes;
  const optional = [agentScope, ...bot_optional];
  const required = bot.filter((scope) => !optional.includes(scope));
  return { required: [...required, ...(readsEmail ? ['users:read.email'] : [])], optional };
}

/** Scopes that a token lacks. `granted` and `requested` are numbers of scopes, including optional ones. */
export type MissingScopes = AppScopes & { granted: number; requested: number };

/** Returns the scopes in the manifest that a token lacks. */
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
