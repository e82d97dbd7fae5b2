import { ApiProblem } from './problem.ts';

/** @throws ApiProblem when the body is not JSON or does not say that it is */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type))
    throw new ApiProblem(
      'unsupported_media_type',
      'The body must be JSON, sent with Content-Type: application/json.',
    );
  const text = await request.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiProblem('invalid_request', 'The body is not valid JSON.');
  }
}
