import { z } from 'zod';

/** Bucket in an S3-compatible store, with the prefix of its objects. */
export type ArtifactsBucket = {
  bucket: string;
  /** Prefix of all object keys: empty, or with a slash at the end. */
  prefix: string;
  /** Region of the bucket. If `region`, `endpoint` or `credentials` is missing, the AWS SDK finds the value. */
  region?: string | undefined;
  endpoint?: string | undefined;
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined;
};

const rule =
  'must look like s3://bucket/prefix?region=…&endpoint=…, with s3://<key id>:<secret key>@bucket for its own credentials';

/** Schema for `s3://[<key id>:<secret key>@]bucket[/prefix][?region=…&endpoint=…]`, with percent-encoded keys. */
export const artifactsUrl = z.string().transform((text, context): ArtifactsBucket => {
  const found = readBucket(text);
  if (found) return found;
  context.addIssue({ code: 'custom', message: rule });
  return z.NEVER;
});

function readBucket(text: string): ArtifactsBucket | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, pathname, username, password, searchParams, hash } = new URL(text);
  const { region, endpoint, ...unknown } = Object.fromEntries(searchParams);
  const isAddress = endpoint === undefined || /^https?:$/.test(protocolOf(endpoint));
  const isWhole = (username === '') === (password === '') && hash === '';
  if (protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]+$/.test(host) || !isAddress || !isWhole)
    return undefined;
  if (Object.keys(unknown).length > 0) return undefined;
  try {
    const prefix = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, '');
    const credentials = {
      accessKeyId: decodeURIComponent(username),
      secretAccessKey: decodeURIComponent(password),
    };
    return {
      bucket: host,
      prefix: prefix === '' ? '' : `${prefix}/`,
      region,
      endpoint,
      ...(username !== '' && { credentials }),
    };
  } catch {
    // Reject the URL. Its keys can't be decoded, because their percent-encoding is wrong.
    return undefined;
  }
}

const protocolOf = (url: string): string => (URL.canParse(url) ? new URL(url).protocol : '');
