import type { Context } from 'hono';
import { ApiProblem } from '../api/problem.ts';

/** Keeps other sites from sending a form in a browser's name. Only browsers send the header. */
export function assertSameSite(context: Context): void {
  const from = context.req.header('sec-fetch-site') ?? 'same-origin';
  if (from !== 'same-origin' && from !== 'none')
    throw new ApiProblem(
      'not_authorized',
      'This form came from another site. Open the page of the runs service and send it there.',
    );
}
