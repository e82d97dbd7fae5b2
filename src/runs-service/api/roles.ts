/**
 * What a key opens. `own`: its owner starts runs, and sees and acts on these. `all`: acts on everyone's runs. `read`:
 * sees everyone's runs and changes nothing.
 */
export const keyRoles = ['own', 'all', 'read'] as const;
export type KeyRole = (typeof keyRoles)[number];
