import type { HonoRequest } from 'hono';
import type { JsonObject } from '../lib/json.ts';
import { withoutNulls } from './method.ts';

/** The arguments of a Web API call: query, form or JSON. Client id and secret may come by Basic authentication. */
export async function readArguments(request: HonoRequest): Promise<JsonObject> {
  return { ...readBasic(request), ...request.query(), ...(await readBody(request)) };
}

async function readBody(request: HonoRequest): Promise<JsonObject> {
  if (request.method === 'GET') return {};
  const type = request.header('content-type') ?? '';
  if (type.startsWith('application/json')) {
    return withoutNulls(await request.json().catch(() => undefined));
  }
  if (type.startsWith('multipart/form-data')) return await request.parseBody();
  return Object.fromEntries(new URLSearchParams(await request.text()));
}

function readBasic(request: HonoRequest): JsonObject {
  const encoded = /^Basic\s+(\S+)$/i.exec(request.header('authorization') ?? '')?.[1];
  if (!encoded) return {};
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { client_id: id, client_secret: secret };
}
