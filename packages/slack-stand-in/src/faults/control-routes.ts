import { timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import { rejectCrossSite } from './cross-site.ts';
import type { FaultQueue } from './faults.ts';

/**
 * Serves `/control/faults`, through which other processes inject faults. GET lists the faults, POST injects one, DELETE
 * removes the injected faults that haven't been used.
 */
export function createControlRoutes({
  faults,
  token,
}: {
  faults: FaultQueue;
  token: string;
}): Hono {
  const control = new Hono();
  control.use(rejectCrossSite());
  control.use(async (context, next) => {
    const actual = context.req.header('authorization') ?? '';
    if (!isSame(actual, `Bearer ${token}`)) return context.json({ error: 'wrong token' }, 401);
    return await next();
  });
  control.get('/faults', (context) =>
    context.json({ list: faults.list, armed: faults.armed(), struck: faults.struck() }),
  );
  control.post('/faults', async (context) => {
    await faults.inject(await context.req.json());
    return context.json({ armed: faults.armed() });
  });
  control.delete('/faults', (context) => {
    faults.clear();
    return context.json({ armed: [] });
  });
  control.onError((error, context) => {
    const isWrong = error instanceof z.ZodError || error instanceof SyntaxError;
    if (!isWrong) throw error;
    const message = error instanceof z.ZodError ? z.prettifyError(error) : 'the body is not JSON';
    return context.json({ error: message }, 400);
  });
  return control;
}

function isSame(actual: string, expected: string): boolean {
  const [one, other] = [Buffer.from(actual), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
