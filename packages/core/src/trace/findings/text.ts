/** `12.0 MiB` of bytes. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? `${Math.round(value)} bytes` : `${value.toFixed(1)} ${units[unit]}`;
}

/** `1 copy`, `2 copies`. */
export function countText(count: number, one: string, several: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
}

/** A kernel's name without its template arguments and parameters, at most 60 characters: what one recognises it by. */
export function shortName(name: string): string {
  const plain = name.replace(/^void /, '');
  const cut = plain.search(/[<(]/);
  const short = cut > 0 ? plain.slice(0, cut) : plain;
  return short.length <= 60 ? short : `${short.slice(0, 57)}...`;
}
