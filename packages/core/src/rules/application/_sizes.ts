const units: Readonly<Record<string, number>> = {
  b: 1,
  bytes: 1,
  kib: 1024,
  kb: 1024,
  mib: 1024 ** 2,
  mb: 1024 ** 2,
  gib: 1024 ** 3,
  gb: 1024 ** 3,
  tib: 1024 ** 4,
};

/** A printed size such as `1.50 GiB` in bytes; null where it is none. */
export function bytesOf(text: string | undefined): number | null {
  const match = /^([\d.]{1,20}) ?([A-Za-z]{1,5})$/.exec(text?.trim() ?? '');
  if (match === null) return null;
  const unit = units[match[2]!.toLowerCase()];
  const value = Number(match[1]);
  return unit === undefined || Number.isNaN(value) ? null : value * unit;
}
