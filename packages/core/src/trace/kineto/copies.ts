import type { Direction, MemoryKind, Route } from '../model.ts';

const memories: Readonly<Record<string, MemoryKind>> = {
  pageable: 'pageable',
  pinned: 'pinned',
  device: 'device',
  'device static': 'device',
  array: 'array',
  managed: 'managed',
  'managed static': 'managed',
};

const directions: readonly (readonly [RegExp, Direction])[] = [
  [/\b(?:HtoD|H2D|HostToDevice|HtoA)/i, 'HtoD'],
  [/\b(?:DtoH|D2H|DeviceToHost|AtoH)/i, 'DtoH'],
  [/\b(?:PtoP|P2P|PeerToPeer)/i, 'PtoP'],
  [/\b(?:DtoD|D2D|DeviceToDevice|AtoD|DtoA|AtoA)/i, 'DtoD'],
  [/\b(?:HtoH|H2H|HostToHost)/i, 'HtoH'],
];

const memoryOf = (text: string | undefined): MemoryKind => memories[text?.trim().toLowerCase() ?? ''] ?? 'unknown';

/**
 * Where a copy goes from and to, from the name the profiler gave it: `Memcpy HtoD (Pageable -> Device)`. The plain
 * `Host` of ROCm does not tell whether the memory is pinned.
 */
export function routeOfName(name: string): Route {
  // XLA says `MemcpyH2D`, in one word.
  const spaced = name.slice(0, 200).replace(/^memcpy/i, '$& ');
  const direction = directions.find(([pattern]) => pattern.test(spaced))?.[1] ?? 'unknown';
  const pair = /\(([A-Za-z ]{1,20})->([A-Za-z ]{1,20})\)/.exec(name.slice(0, 200));
  return withSides(direction, memoryOf(pair?.[1]), memoryOf(pair?.[2]));
}

/** The same from the details of XLA: `kind_src:pageable kind_dst:device size:4 dest:0 async:1`. */
export function routeOfDetails(
  name: string,
  details: string,
): { readonly route: Route; readonly bytes: number | null } {
  const text = details.slice(0, 400);
  const from = memoryOf(/kind_src:([a-z_]{1,20})/.exec(text)?.[1]);
  const to = memoryOf(/kind_dst:([a-z_]{1,20})/.exec(text)?.[1]);
  const size = /\bsize:(\d{1,15})/.exec(text)?.[1];
  const { direction } = routeOfName(name);
  return { route: withSides(direction, from, to), bytes: size === undefined ? null : Number(size) };
}

/** The side on the device is the device, whatever else was not told. */
function withSides(direction: Direction, from: MemoryKind, to: MemoryKind): Route {
  const onDevice = (kind: MemoryKind): MemoryKind => (kind === 'unknown' ? 'device' : kind);
  return {
    direction,
    from: /^[DP]to/.test(direction) ? onDevice(from) : from,
    to: /to[DP]$/.test(direction) ? onDevice(to) : to,
    migrationCause: null,
  };
}
