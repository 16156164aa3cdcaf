/** Round constants: fractional parts of the cube roots of the first 64 primes (FIPS 180-4, section 4.2.2). */
const rounds: readonly number[] = primes(64).map((prime) => fraction(Math.cbrt(prime)));
/** Initial hash: fractional parts of the square roots of the first 8 primes (FIPS 180-4, section 5.3.3). */
const initial: readonly number[] = primes(8).map((prime) => fraction(Math.sqrt(prime)));

function primes(count: number): number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}

function fraction(value: number): number {
  return Math.floor((value - Math.floor(value)) * 0x1_0000_0000) >>> 0;
}

/**
 * SHA-256 of bytes as 64 lower-case hexadecimal digits (FIPS 180-4). For fingerprints of tables, where no crypto of a
 * host may be used; not meant for secrets.
 */
export function sha256(bytes: Uint8Array): string {
  const padded = new Uint8Array(((bytes.length + 72) >> 6) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x2000_0000));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const hash = Uint32Array.from(initial);
  const words = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) block(view, at, words, hash);
  return [...hash].map((word) => word.toString(16).padStart(8, '0')).join('');
}

function block(view: DataView, at: number, words: Uint32Array, hash: Uint32Array): void {
  for (let i = 0; i < 16; i++) words[i] = view.getUint32(at + i * 4);
  for (let i = 16; i < 64; i++) {
    const a = words[i - 15]!;
    const b = words[i - 2]!;
    const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
    const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
    words[i] = words[i - 16]! + s0 + words[i - 7]! + s1;
  }
  let a = hash[0]!;
  let b = hash[1]!;
  let c = hash[2]!;
  let d = hash[3]!;
  let e = hash[4]!;
  let f = hash[5]!;
  let g = hash[6]!;
  let h = hash[7]!;
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + rounds[i]! + words[i]!) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  const next = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < 8; i++) hash[i] = hash[i]! + next[i]!;
}

function rotate(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by));
}
