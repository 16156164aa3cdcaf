/** 1.5 µs, 12 ms, 3.4 s. */
export function timeText(ns: number): string {
  const [value, unit] = ns >= 1e9 ? [ns / 1e9, 's'] : ns >= 1e6 ? [ns / 1e6, 'ms'] : [ns / 1e3, 'µs'];
  return `${digits(value)} ${unit}`;
}

/** 256 KiB where binary sizes are meant, up to MiB. */
export function binaryText(bytes: number): string {
  return bytes >= 1 << 20 ? `${digits(bytes / (1 << 20))} MiB` : `${digits(bytes / 1024)} KiB`;
}

/** 80 GB, 1.6 TB. */
export function sizeText(bytes: number): string {
  return bytes >= 1e12
    ? `${digits(bytes / 1e12)} TB`
    : bytes >= 1e9
      ? `${digits(bytes / 1e9)} GB`
      : `${digits(bytes / 1e6)} MB`;
}

/** 3.35 TB/s, 63 GB/s. */
export function rateText(bytesPerSecond: number): string {
  return `${sizeText(bytesPerSecond)}/s`;
}

export function percentText(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

/** Three digits that count. */
function digits(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}
