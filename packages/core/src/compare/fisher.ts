const known: number[] = [0];

function logFactorial(n: number): number {
  for (let i = known.length; i <= n; i++) known.push(known[i - 1]! + Math.log(i));
  return known[n]!;
}

function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

/**
 * Fisher's exact test, two-sided: how likely a division at least as uneven is if both groups are alike.
 * @param a with and `b` without it in the first group; `c` with and `d` without it in the second
 */
export function fisher(a: number, b: number, c: number, d: number): number {
  const first = a + b;
  const all = first + c + d;
  const having = a + c;
  if (first === 0 || all === first || having === 0 || having === all) return 1;
  const of = (x: number): number => logChoose(having, x) + logChoose(all - having, first - x) - logChoose(all, first);
  const observed = of(a);
  let sum = 0;
  for (let x = Math.max(0, first - (all - having)); x <= Math.min(first, having); x++) {
    const each = of(x);
    if (each <= observed + 1e-7) sum += Math.exp(each);
  }
  return Math.min(1, sum);
}
