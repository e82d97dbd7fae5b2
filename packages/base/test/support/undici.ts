/**
 * Gives undici named exports in a split bundle. Node finds such names in CommonJS packages, but bundled code doesn't.
 * The list contains the names that the sources import dynamically.
 */
import undici from '../../../../node_modules/undici/index.js';

// biome-ignore lint/performance/noBarrelFile: other packages require it whole
export * from '../../../../node_modules/undici/index.js';
export const { Agent, buildConnector, EnvHttpProxyAgent, request } = undici;
