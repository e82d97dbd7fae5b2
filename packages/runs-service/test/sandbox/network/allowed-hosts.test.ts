import { describe, expect, it } from 'vitest';
import { addressKind, findAddress, matchOf } from '../../../src/sandbox/network/allowed-hosts.ts';

describe('a list of domains', () => {
  it.each([
    ['example.com', ['example.com'], 'named'],
    ['EXAMPLE.com.', ['example.com'], 'named'],
    ['api.example.com', ['example.com'], undefined],
    ['api.example.com', ['*.example.com'], 'named'],
    ['example.com', ['*.example.com'], undefined],
    ['badexample.com', ['*.example.com'], undefined],
    ['example.com.evil.test', ['example.com', '*.example.com'], undefined],
    ['anything.test', ['*'], 'any'],
    ['example.com', ['*', 'example.com'], 'named'],
  ])('matches %s with %j: %s', (host, domains, match) => {
    expect(matchOf({ host, port: 443 }, domains)).toBe(match);
  });

  it.each([
    [80, ['x.test'], 'named'],
    [443, ['x.test'], 'named'],
    [22, ['x.test'], undefined],
    [8443, ['x.test', '*'], undefined],
    [8443, ['x.test:8443'], 'named'],
    [443, ['x.test:8443'], undefined],
    [443, ['x.test:8443', 'x.test'], 'named'],
    [8443, ['*.test:8443'], 'named'],
    [8443, ['*:8443'], 'any'],
    [443, ['*:8443'], undefined],
  ])('opens port %d of x.test with %j: %s', (port, domains, match) => {
    expect(matchOf({ host: 'x.test', port }, domains)).toBe(match);
  });
});

describe('an address', () => {
  it.each([
    ...[
      '127.0.0.1',
      '127.9.9.9',
      '0.0.0.0',
      '169.254.169.254',
      '100.100.100.200',
      '255.255.255.255',
    ],
    ...['::1', '::', 'fe80::1', 'fd00:ec2::254', '::ffff:127.0.0.1', '::ffff:169.254.169.254'],
    ...['::ffff:7f00:1', '64:ff9b::7f00:1', '2002:7f00:1::', '224.0.0.1', 'ff02::1'],
  ])('%s is never reached', (address) => expect(addressKind(address)).toBe('machine'));

  it.each([
    ...['203.0.113.5', '::ffff:203.0.113.5', '::ffff:cb00:7105'],
    ...['2001:db8::1', '2001:0db8:0:0:0:0:0:1', '2001:DB8::0001'],
  ])('%s of this machine is never reached, however it is written', (address) => {
    const interfaces = { eth0: [{ address: '203.0.113.5' }, { address: '2001:db8::1' }] };
    expect(addressKind(address, interfaces)).toBe('machine');
    expect(addressKind(address, {})).toBe('public');
  });

  it.each(['10.0.0.1', '172.16.9.9', '192.168.1.1', '100.64.0.1', 'fd12::1', '::ffff:10.0.0.1'])(
    '%s is internal',
    (address) => expect(addressKind(address)).toBe('internal'),
  );

  it.each(['1.1.1.1', '172.32.0.1', '2606:4700::1111'])('%s is public', (address) =>
    expect(addressKind(address)).toBe('public'),
  );
});

describe('the address to connect to', () => {
  const find = (host: string, domains: string[], ...addresses: string[]) =>
    findAddress({ host, port: 443 }, domains, async () => addresses);

  it('is one that was checked', async () => {
    expect(await find('x.test', ['x.test'], '127.0.0.1', '1.1.1.1')).toEqual({
      address: '1.1.1.1',
    });
  });

  it.each([
    ['of a host that is not listed', 'y.test', ['x.test'], '1.1.1.1', /isn't in the environment's/],
    ['of this machine', 'x.test', ['x.test'], '127.0.0.1', /can't reach/],
    ['of the metadata service', 'x.test', ['x.test'], '169.254.169.254', /can't reach/],
    [
      'in the internal network, if the host is not named',
      'x.test',
      ['*'],
      '10.0.0.1',
      /can't reach/,
    ],
  ])('is rejected %s', async (_name, host, domains, address, says) => {
    expect(await find(host, domains, address)).toEqual({ denial: expect.stringMatching(says) });
  });

  it('can be in the internal network, if the host is named', async () => {
    expect(await find('x.test', ['x.test'], '10.0.0.1')).toEqual({ address: '10.0.0.1' });
  });

  it('that is given as a number is checked too', async () => {
    const find443 = (host: string) => findAddress({ host, port: 443 }, ['*']);
    expect(await find443('127.0.0.1')).toHaveProperty('denial');
    expect(await find443('1.1.1.1')).toEqual({ address: '1.1.1.1' });
  });

  it('is rejected at another port with what a list means', async () => {
    const rejected = await findAddress({ host: 'x.test', port: 22 }, ['x.test']);
    expect(rejected).toEqual({
      denial: expect.stringContaining('without a port is for 80 and 443'),
    });
  });
});
