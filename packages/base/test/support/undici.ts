/**
 * In a bundle that is split, a dynamic import of a CommonJS package has no names, which Node finds by itself. These are those
 * that the sources import dynamically.
 */
import undici from '../../../../node_modules/undici/index.js';

// biome-ignore lint/performance/noBarrelFile: other packages require it whole
export * from '../../../../node_modules/undici/index.js';
export const { Agent, buildConnector, EnvHttpProxyAgent, request } = undici;
