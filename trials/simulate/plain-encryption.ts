import { type Encryption, Unreadable } from 'base/secrets/encryption';

const prefix = 'simulated.';

/** Hides nothing, because ciphers take time: it only says to which owner a text belongs, and refuses others. */
export const plainEncryption: Encryption = {
  prefix,
  encrypt: (text, owner) => prefix + JSON.stringify([owner, text]),
  decrypt(encrypted, owner) {
    const [by, text]: [string, string] = JSON.parse(encrypted.slice(prefix.length));
    if (by !== owner) throw new Unreadable(`a value of ${by} is read as one of ${owner}`);
    return text;
  },
};
