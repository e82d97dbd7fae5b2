/** Schemas of common settings. Error messages continue a sentence that begins with the setting's name. */
import { z } from 'zod';
import { keyRule, readKeyPair } from '../secrets/encryption-keys.ts';

const isPort = { error: 'must be a number from 0 to 65535' };
export const port = z.coerce.number(isPort).int(isPort).min(0, isPort).max(65_535, isPort);
const isCount = { error: 'must be a whole number, 1 or more' };
export const count = z.coerce.number(isCount).int(isCount).min(1, isCount);
export const flag = z.enum(['true', 'false'], { error: 'can only be "true" or "false"' });
export const domains = z
  .string()
  .regex(/^[\w.-]+(\s*,\s*[\w.-]+)*$/, {
    error: 'must be a list of domains, such as runs.example.com',
  })
  .transform((list) => list.toLowerCase().split(/\s*,\s*/));
/**
 * Schema of a list of hosts: names or IP addresses, separated by commas. Writes each as in a URL, but IPv6 without
 * brackets.
 */
export const hosts = z.string().transform((list, context) => {
  const names = list.split(',').map((host) => host.trim().replace(/^\[|\]$/g, ''));
  const known = names.flatMap((name) => {
    const host = name.includes(':') ? `[${name}]` : name;
    const isHost = /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`);
    return isHost ? [new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '')] : [];
  });
  if (known.length === names.length) return known;
  context.addIssue({ code: 'custom', message: 'must be a list of hosts, such as 10.1.2.3' });
  return z.NEVER;
});
export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

/** Schemas of the settings that every program has. */
export const shared = {
  DATABASE_URL: z
    .string()
    .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, {
      error: 'must start with sqlite: or postgres://',
    })
    .optional(),
  DATA_DIR: z.string().min(1).default('./data'),
  ENCRYPTION_KEY: z
    .string()
    .transform((text, context) => {
      const keys = readKeyPair(text);
      if (keys) return keys;
      context.addIssue({ code: 'custom', message: keyRule });
      return z.NEVER;
    })
    .optional(),
  METRICS_PORT: port.optional(),
  RETENTION_DAYS: count.optional(),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], { error: 'has an unknown value' })
    .default('info'),
};

/** Returns the host and port that serve `/metrics`. Returns undefined if `METRICS_PORT` isn't set. */
export const metricsAt = (
  { METRICS_PORT: at }: { METRICS_PORT?: number | undefined },
  host: string,
) => (at === undefined ? undefined : { host, port: at });
