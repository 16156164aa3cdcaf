import type { TraceBuilder } from '../builder.ts';

/** What a trace of PyTorch says of itself, beside its events. */
export class Head {
  /** It has members that only PyTorch writes. */
  isPyTorch = false;
  /** Nanoseconds that all times count from; null where they are absolute or not told. */
  base: bigint | null = null;
  traceName: string | null = null;
  rocm = false;
  #devices: readonly unknown[] = [];
  #runtime: number | null = null;

  member(key: string, text: string, builder: TraceBuilder): void {
    switch (key) {
      case 'schemaVersion':
        this.isPyTorch = true;
        return;
      case 'baseTimeNanoseconds':
        if (/^"?\d{1,19}"?$/.test(text)) this.base = BigInt(text.replaceAll('"', ''));
        return;
      case 'deviceProperties': {
        const value = parsed(text);
        this.isPyTorch = true;
        if (Array.isArray(value)) this.#devices = value.slice(0, 1024);
        return;
      }
      case 'distributedInfo': {
        const value = parsed(text);
        const rank = whole(member(value, 'rank'));
        const ranks = whole(member(value, 'world_size'));
        if (rank !== null && rank >= 0) builder.rank = rank;
        if (ranks !== null && ranks > 0) builder.ranks = ranks;
        return;
      }
      case 'cuda_runtime_version':
        this.#runtime = whole(parsed(text));
        return;
      case 'traceName': {
        const value = parsed(text);
        if (typeof value === 'string') this.traceName = value.slice(0, 1000);
        return;
      }
      default:
    }
  }

  /** Puts the properties to the devices that were used; to all where none was. */
  finish(builder: TraceBuilder, used: ReadonlySet<number>): void {
    for (const each of this.#devices) {
      const id = whole(member(each, 'id'));
      if (id === null || (used.size > 0 && !used.has(id))) continue;
      const name = member(each, 'name');
      const [major, minor] = [whole(member(each, 'computeMajor')), whole(member(each, 'computeMinor'))];
      if (whole(member(each, 'warpSize')) === 64 || (typeof name === 'string' && /\bAMD\b/.test(name)))
        this.rocm = true;
      builder.device(id, {
        name: typeof name === 'string' ? name.slice(0, 200) : null,
        computeCapability: major === null || minor === null || major < 1 ? null : `${major}.${minor}`,
        sms: positive(member(each, 'numSms')),
        memoryBytes: positive(member(each, 'totalGlobalMem')),
      });
    }
    builder.producer = this.#producer();
  }

  #producer(): string {
    if (!this.isPyTorch) return 'a profiler that writes Chrome traces';
    const version = this.#runtime;
    if (version === null || version < 1000) return 'PyTorch profiler';
    return `PyTorch profiler, ${this.rocm ? 'ROCm' : 'CUDA'} runtime ${Math.floor(version / 1000)}.${Math.floor((version % 1000) / 10)}`;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function member(value: unknown, key: string): unknown {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[key] : undefined;
}

function whole(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null;
}

function positive(value: unknown): number | null {
  const number = whole(value);
  return number !== null && number > 0 ? number : null;
}
