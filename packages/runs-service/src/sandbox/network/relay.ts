const port = 3128;
/** Folder in the sandbox that contains the Node program and the folder with the proxy's socket. */
export const insideFolder = '/run/slash-agent';

/**
 * Script that runs in the sandbox. It passes connections on to the proxy's socket, and starts the command in its
 * arguments. The script ends when the command ends.
 */
const script = `
const { spawn } = require('node:child_process');
const { connect, createServer } = require('node:net');
const [program, ...args] = process.argv.slice(1);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
const server = createServer((client) => {
  const proxy = connect('${insideFolder}/proxy/socket');
  client.on('error', () => proxy.destroy());
  proxy.on('error', () => client.destroy());
  client.pipe(proxy).pipe(client);
});
server.listen(${port}, '127.0.0.1', () => {
  const child = spawn(program, args, { stdio: 'inherit' });
  const { signals } = require('node:os').constants;
  child.on('error', () => {
    console.error('"' + program + '" isn\\'t installed, or the sandbox hides it.');
    process.exit(127);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + signals[signal]));
});`;

/**
 * Node options that keep the relay within `memory_mb`. Without them, Node 24 doesn't start below about 600 MB, because
 * memory that Node's compiler reserves is counted. Node 20 starts without them, and would print a warning about them.
 */
const options = Number(process.versions.node.split('.')[0]) >= 24 ? ['--jitless'] : [];

const address = `http://127.0.0.1:${port}`;

export const relay = {
  command: [`${insideFolder}/node`, ...options, '-e', script, '--'],
  variables: {
    HTTP_PROXY: address,
    HTTPS_PROXY: address,
    http_proxy: address,
    https_proxy: address,
    NO_PROXY: 'localhost,127.0.0.1,::1',
    no_proxy: 'localhost,127.0.0.1,::1',
    // Makes fetch use the proxy in Node 24 and later.
    NODE_USE_ENV_PROXY: '1',
  },
};
