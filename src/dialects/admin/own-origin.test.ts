import { expect, it } from 'vitest';
import { assertOwnOrigin } from './own-origin.ts';

const READ = { isWrite: false, allowsCrossSite: false };
const WRITE = { isWrite: true, allowsCrossSite: false };
const OWN = ['https://gateway.example'];

it.each([
  ['a read without signs', READ, {}, OWN],
  ['a read that a person typed', READ, { 'sec-fetch-site': 'none' }, OWN],
  ['a read of the page', READ, { 'sec-fetch-site': 'same-origin' }, OWN],
  ['a write of the page', WRITE, { origin: OWN[0], 'sec-fetch-site': 'same-origin' }, OWN],
  ['a write where browsers send no Sec-Fetch-Site', WRITE, { origin: OWN[0] }, OWN],
  ['a write to the host without settings', WRITE, { origin: 'http://a:1', host: 'a:1' }, []],
  ['a write through a proxy with TLS', WRITE, { origin: 'https://a', host: 'a' }, []],
  [
    'a way back from an identity provider',
    { isWrite: false, allowsCrossSite: true },
    { 'sec-fetch-site': 'cross-site' },
    OWN,
  ],
])('admits %s', (_name, rule, headers, own) => {
  expect(() => assertOwnOrigin(headers, rule, own)).not.toThrow();
});

it.each([
  ['a write without an origin', WRITE, {}, OWN],
  ['a write that a person typed', WRITE, { origin: OWN[0], 'sec-fetch-site': 'none' }, OWN],
  ['a write of another site', WRITE, { origin: 'https://other.example' }, OWN],
  ['a write of the same site', WRITE, { origin: OWN[0], 'sec-fetch-site': 'same-site' }, OWN],
  ['a write of null', WRITE, { origin: 'null' }, OWN],
  ['another port of this machine', WRITE, { origin: 'http://a:2', host: 'a:1' }, []],
  ['the host where settings name another', WRITE, { origin: 'https://b', host: 'b' }, OWN],
  ['a read by another origin', READ, { origin: 'http://localhost:3000' }, OWN],
  ['a read by another site', READ, { 'sec-fetch-site': 'cross-site' }, OWN],
])('refuses %s', (_name, rule, headers, own) => {
  expect(() => assertOwnOrigin(headers, rule, own)).toThrow('Only pages of the dashboard');
});
