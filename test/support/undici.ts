/** In a bundle that is split, a dynamic import of a CommonJS package has a default export only. Node gives it all names. */
import undici from '../../node_modules/undici/index.js';

export const { Agent, buildConnector, EnvHttpProxyAgent, request } = undici;
