import { type Encryption, Unreadable } from 'base/secrets/encryption';

const prefix = 'simulated.';

/** Labels texts with their owner instead of encrypting them, because ciphers take time. Rejects other owners. */
export const plainEncryption: Encryption = {
  prefix,
  encrypt: (text, owner) => prefix + JSON.stringify([owner, text]),
  decrypt(encrypted, owner) {
    const [by, text]: [string, string] = JSON.parse(encrypted.slice(prefix.length));
    if (by !== owner) throw new Unreadable(`a value of ${by} is read as one of ${owner}`);
    return text;
  },
};
