import { generateKeyPairSync, sign } from 'node:crypto';

const der = (tag: number, ...content: (Buffer | number[])[]): Buffer => {
  const body = Buffer.concat(content.map((each) => Buffer.from(each)));
  const { length } = body;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const sequence = (...content: Buffer[]) => der(0x30, ...content);
const time = (at: number) =>
  der(0x17, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, '').slice(2, 14)}Z`));
const isTrue = der(0x01, [0xff]);

/** Encoded object identifiers of ASN.1. */
const oids = {
  ecdsaWithSha256: der(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]),
  commonName: der(0x06, [0x55, 0x04, 0x03]),
  subjectAltName: der(0x06, [0x55, 0x1d, 0x11]),
  basicConstraints: der(0x06, [0x55, 0x1d, 0x13]),
};
const dayMs = 24 * 60 * 60_000;

/** Creates a self-signed certificate for 127.0.0.1 as PEM. Node can read certificates, but can't create them. */
export function createCertificate(): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = sequence(der(0x31, sequence(oids.commonName, der(0x0c, Buffer.from('cluster')))));
  const address = sequence(der(0x87, [127, 0, 0, 1]));
  const extensions = sequence(
    sequence(oids.basicConstraints, isTrue, der(0x04, sequence(isTrue))),
    sequence(oids.subjectAltName, der(0x04, address)),
  );
  const algorithm = sequence(oids.ecdsaWithSha256);
  const content = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1]),
    algorithm,
    name,
    sequence(time(Date.now() - dayMs), time(Date.now() + 2 * dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', content, privateKey);
  const certificate = sequence(content, algorithm, der(0x03, [0], signature));
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
