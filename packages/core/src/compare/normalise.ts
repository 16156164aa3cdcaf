/** What differs between any two machines or runs and means nothing by itself. */
const volatile: readonly (readonly [pattern: RegExp, put: string])[] = [
  [/\b(?:GPU-|MIG-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b/gi, '<bus>'],
  [/\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b/gi, '<mac>'],
  [/\b0x[0-9a-f]{3,16}\b/gi, '<hex>'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?=[:<\]/]|$)/g, '<ip>'],
  [/\b[0-9a-f]{12,64}\b/g, '<id>'],
];
const longest = 160;

/** A value as it is compared: without names of machines, identifiers, addresses and times. */
export function comparable(text: string, hosts: ReadonlySet<string>): string {
  let out = text.length > longest * 2 ? text.slice(0, longest * 2) : text;
  for (const [pattern, put] of volatile) out = out.replaceAll(pattern, put);
  for (const host of hosts) if (host.length >= 3 && out.includes(host)) out = out.replaceAll(host, '<host>');
  return out.length > longest ? `${out.slice(0, longest)}…` : out;
}

/** The class of a line: what is left when every number, name and address is taken out. */
export function lineClass(text: string, hosts: ReadonlySet<string>): string {
  return comparable(text, hosts)
    .replaceAll(/[0-9a-f]+/gi, (run) => (/\d/.test(run) ? '#' : run))
    .replaceAll(/#(?:[ ,./:>|-]{1,3}#){2,400}/g, '#…')
    .slice(0, longest);
}

/** The class of a machine's name: its last number left out, so that `r12-gpu07` and `r12-gpu31` are alike. */
export function hostClass(host: string): string {
  const at = /\d{1,12}\D{0,40}$/.exec(host.split('.')[0]!);
  return at === null ? host : `${host.slice(0, at.index)}#${at[0].replace(/^\d{1,12}/, '')}`;
}
