/** Names of GPUs that are kept apart; of more, each is its own. */
const mostAliases = 200_000;

/** `0000:19:00` of `00000000:19:00.0`, `19:00.0` and `PCI:0000:19:00`; null where it is no address of a bus. */
export function busOf(text: string): string | null {
  const match = /^(?:PCI:)?(?:0{0,4}([0-9a-f]{4}):)?([0-9a-f]{2}):([0-9a-f]{2})(?:\.[0-7])?$/i.exec(text);
  return match === null ? null : `${match[1] ?? '0000'}:${match[2]!}:${match[3]!}`.toLowerCase();
}

/** By which names the GPUs of all files are known: index, UUID and bus address mean one GPU once two of them met. */
export class Identities {
  private readonly aliases = new Map<string, string>();
  /** The UUID of an index: a second one is another machine's. */
  private readonly uuids = new Map<string, string>();
  /** Names that are an index: what is known by one is never known by another. */
  private readonly indices = new Set<string>();
  private firstHost: string | null = null;
  private named = false;
  private readonly renamed: (from: string, to: string) => void;

  /** @param renamed is told where what was kept under one name goes on under another */
  constructor(renamed: (from: string, to: string) => void) {
    this.renamed = renamed;
  }

  nameHosts(): void {
    this.named = true;
  }

  /** The name under which a GPU is kept; null where nothing names it. */
  idOf(index: string | null, uuid: string | null, host: string | null, bus: string | null): string | null {
    const prefix = this.prefixOf(host);
    const address = bus === null ? null : busOf(bus);
    const place = address === null ? null : `${prefix}${address}`;
    let id: string | null = null;
    if (index !== null) {
      id = prefix + index;
      if (this.indices.size < mostAliases) this.indices.add(id);
      if (uuid?.startsWith('GPU-') === true) {
        const known = this.uuids.get(id);
        if (known === undefined) {
          if (this.uuids.size < mostAliases) this.uuids.set(id, uuid);
        } else if (known !== uuid) {
          // Two machines have a GPU of that index, and no name of a host tells them apart.
          id = this.aliases.get(uuid) ?? uuid;
          return id;
        }
      }
      this.learn(uuid, id);
      this.learn(place, id);
      return id;
    }
    if (uuid !== null) {
      id = this.aliases.get(uuid) ?? uuid;
      const other = place === null ? undefined : this.aliases.get(place);
      // What its address is known by is its index.
      if (other !== undefined && other !== id && id === uuid) {
        this.learn(uuid, other);
        return other;
      }
      this.learn(place, id);
      return id;
    }
    return place === null ? null : (this.aliases.get(place) ?? place);
  }

  atBus(bus: string, host: string | null): string {
    return this.idOf(null, null, host, bus) ?? bus;
  }

  private learn(name: string | null, id: string): void {
    if (name === null || name === id) return;
    const known = this.aliases.get(name);
    if (known === id) return;
    if (known === undefined ? this.aliases.size >= mostAliases : this.indices.has(known)) return;
    this.aliases.set(name, id);
    // Whatever led to the old name leads to the new one.
    const before = known ?? name;
    for (const [each, to] of this.aliases.size < 5000 ? this.aliases : [])
      if (to === before) this.aliases.set(each, id);
    this.renamed(before, id);
  }

  private prefixOf(host: string | null): string {
    if (host === null || host === '') return '';
    if (this.named) return `${host}:`;
    this.firstHost ??= host;
    return host === this.firstHost ? '' : `${host}:`;
  }
}
