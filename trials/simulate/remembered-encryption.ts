import { createEncryption, type Encryption } from '../../src/lib/secrets/encryption.ts';

/** Equal texts of an owner are equal when they're encrypted, so each is encrypted and decrypted once, for all replicas. */
export function rememberEncryption(key: Buffer): Encryption & { forget(): void } {
  const real = createEncryption(key);
  const encrypted = new Map<string, string>();
  const decrypted = new Map<string, string>();
  const remember = (known: Map<string, string>, parts: readonly string[], make: () => string) => {
    const at = parts.join('\0');
    const value = known.get(at) ?? make();
    known.set(at, value);
    return value;
  };
  return {
    prefix: real.prefix,
    encrypt: (text, owner, by) =>
      remember(encrypted, [owner, text], () => real.encrypt(text, owner, by)),
    decrypt: (text, owner) => remember(decrypted, [owner, text], () => real.decrypt(text, owner)),
    forget() {
      encrypted.clear();
      decrypted.clear();
    },
  };
}
