/**
 * Encrypts secrets in the database with AES-256-GCM (NIST SP 800-38D). Each value names its key, so that keys can be
 * replaced while the app runs. The nonce is a keyed hash of owner and text, so only equal texts of the same owner have
 * the same encrypted value. Queries can therefore compare encrypted values to see if a text has changed.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';

export const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const algorithm = 'aes-256-gcm';
/** Prefix of encrypted values, which names their format. */
const version = 'enc1';

export type Encryption = ReturnType<typeof createEncryption>;

/** Thrown for a value that can't be decrypted: its key is unknown, it was changed, or it belongs to another owner. */
export class Unreadable extends Error {
  override name = 'Unreadable';
}

type Key = { id: string; cipher: Buffer; nonce: Buffer };

function keyOf(secret: Buffer): Key {
  const derive = (use: string) => createHmac('sha256', secret).update(use).digest();
  // Public ID of a key, which reveals nothing about the key.
  const id = createHash('sha256').update('key id').update(secret).digest('base64url').slice(0, 8);
  return { id, cipher: derive('cipher'), nonce: derive('nonce') };
}

/**
 * Creates the encryption of secrets.
 * @param current key to encrypt with, 32 bytes
 * @param other second key, which only decrypts during a key rotation
 */
export function createEncryption(current: Buffer, other: Buffer = current) {
  const keys = { current: keyOf(current), other: keyOf(other) };
  const all = [keys.current, keys.other];
  const prefix = `${version}.${keys.current.id}.`;

  return {
    /** Prefix of all values of the current key. */
    prefix,

    /**
     * Encrypts a text.
     * @param owner name of the text's owner, such as a row; the value can't be decrypted for another owner
     */
    encrypt(text: string, owner: string, by: keyof typeof keys = 'current'): string {
      const key = keys[by];
      const hash = createHmac('sha256', key.nonce).update(`${owner.length} ${owner}`).update(text);
      const nonce = hash.digest().subarray(0, nonceBytes);
      const cipher = createCipheriv(algorithm, key.cipher, nonce);
      cipher.setAAD(Buffer.from(owner));
      const body = [cipher.update(text, 'utf8'), cipher.final()];
      const sealed = Buffer.concat([nonce, cipher.getAuthTag(), ...body]);
      return [version, key.id, sealed.toString('base64url')].join('.');
    },

    /**
     * Decrypts a value for its owner.
     * @throws Unreadable
     */
    decrypt(encrypted: string, owner: string): string {
      const [format, keyId = '', data = ''] = encrypted.split('.');
      const key = all.find(({ id }) => id === keyId);
      if (format !== version) throw new Unreadable("a value in the database isn't encrypted");
      if (!key) throw new Unreadable(`a value in the database needs the encryption key ${keyId}`);
      const sealed = Buffer.from(data, 'base64url');
      const nonce = sealed.subarray(0, nonceBytes);
      try {
        const decipher = createDecipheriv(algorithm, key.cipher, nonce, {
          authTagLength: tagBytes,
        });
        decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
        decipher.setAAD(Buffer.from(owner));
        const body = sealed.subarray(nonceBytes + tagBytes);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new Unreadable('an encrypted value in the database was changed', { cause });
      }
    },
  };
}
