const proxyPort = 3128;
/** Port of the model gateway in sandboxes with their own network. */
export const modelPort = 3129;
/** Folder in the sandbox that contains the Node program and the folders with the sockets. */
export const insideFolder = '/run/slash-agent';

const proxyFolder = `${insideFolder}/proxy`;
const modelsFolder = `${insideFolder}/models`;

/**
 * Script that runs in the sandbox. It passes connections to ports on to the sockets in its first argument, and starts
 * the command in its other arguments. The script ends when the command ends.
 */
const script = `
const { spawn } = require('node:child_process');
const { connect, createServer } = require('node:net');
const [sockets, program, ...args] = process.argv.slice(1);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
const listening = Object.entries(JSON.parse(sockets)).map(([port, socket]) => new Promise((done) => {
  const server = createServer((client) => {
    const service = connect(socket);
    client.on('error', () => service.destroy());
    service.on('error', () => client.destroy());
    client.pipe(service).pipe(client);
  });
  server.on('error', ({ code }) => {
    console.error('The sandbox cannot listen on port ' + port + ' of its loopback address (' + code + ').');
    process.exit(126);
  });
  server.listen(Number(port), '127.0.0.1', done);
}));
Promise.all(listening).then(() => {
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

const address = `http://127.0.0.1:${proxyPort}`;
const proxyVariables = {
  HTTP_PROXY: address,
  HTTPS_PROXY: address,
  http_proxy: address,
  https_proxy: address,
  NO_PROXY: 'localhost,127.0.0.1,::1',
  no_proxy: 'localhost,127.0.0.1,::1',
  // Makes fetch use the proxy in Node 24 and later.
  NODE_USE_ENV_PROXY: '1',
};

/** Folders with the sockets that a sandbox's commands can use. */
export type RelayedFolders = { proxy?: string | undefined; models?: string | undefined };

/** Returns how a sandbox that bubblewrap opens reaches the sockets: what it runs, mounts and sets. */
export function relayInBubblewrap({ proxy, models }: RelayedFolders) {
  const sockets = {
    ...(proxy !== undefined && { [proxyPort]: `${proxyFolder}/socket` }),
    ...(models !== undefined && { [modelPort]: `${modelsFolder}/socket` }),
  };
  return {
    command: [`${insideFolder}/node`, ...options, '-e', script, '--', JSON.stringify(sockets)],
    mounts: [
      ...['--ro-bind', process.execPath, `${insideFolder}/node`],
      ...(proxy === undefined ? [] : ['--ro-bind', proxy, proxyFolder]),
      ...(models === undefined ? [] : ['--ro-bind', models, modelsFolder]),
    ],
    variables: proxy === undefined ? {} : proxyVariables,
  };
}

/**
 * Command to put before a container's command, so that it reaches the model gateway. It needs Node in the image, because
 * the service's own Node may not run there.
 */
export const relayInContainer = [
  ...['node', '-e', script, '--', JSON.stringify({ [modelPort]: `${modelsFolder}/socket` })],
];
