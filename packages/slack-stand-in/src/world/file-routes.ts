import { Hono } from 'hono';
import type { Env } from '../faults/call-faults.ts';
import type { Files } from './files.ts';
import type { World } from './world.ts';

/** Where the content of files is. Without a token that may read them, Slack redirects to its login page. */
export function createFileRoutes({ world, files }: { world: World; files: Files }): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get('/files-pri/:id/*', (context) => {
    const token = /^Bearer\s+(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
    const [teamId = '', id = ''] = context.req.param('id').split('-');
    const installation = world.installations.findLast(
      (each) => each.botToken === token && each.teamId === teamId,
    );
    const mayRead = installation?.status === 'active' && installation.scopes.includes('files:read');
    if (!mayRead) return context.redirect('https://slack.com/signin', 302);
    const file = files.find(id, teamId);
    if (!file || file.isDeleted || file.base64 === undefined) return context.text('', 404);
    return context.body(Buffer.from(file.base64, 'base64'), 200, { 'content-type': file.mimeType });
  });

  /** The second step of an upload. Its size has to be as announced. */
  routes.post('/upload/v1/:ticket', async (context) => {
    const file = files.byTicket(context.req.param('ticket'));
    if (!file) return context.text('unknown ticket', 404);
    const content = Buffer.from(await context.req.arrayBuffer());
    if (content.length !== file.bytes) return context.text('wrong size', 400);
    file.base64 = content.toString('base64');
    return context.text(`OK - ${content.length}`);
  });
  return routes;
}
