import { serve } from '@hono/node-server';
import { createModelServer } from './model-server.ts';

/** Runs the model server: `node main.mjs <address> <port>`. Prints a line when it listens. */
const [, , hostname = '127.0.0.1', port = '0'] = process.argv;
serve({ fetch: createModelServer().fetch, hostname, port: Number(port) }, (info) => {
  process.stdout.write(`listening on ${info.port}\n`);
});
