import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const manifestSchema = z.looseObject({
  oauth_config: z.looseObject({ scopes: z.looseObject({ bot: z.array(z.string()) }) }),
});

/** The scopes that the app asks for, from its manifest. */
export function readAppScopes(readsEmail: boolean): string[] {
  const text = readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8');
  const { bot } = manifestSchema.parse(parse(text)).oauth_config.scopes;
  return [...bot, ...(readsEmail ? ['users:read.email'] : [])];
}
