// The merged view over the layers of an image (OCI image-spec, layer.md): whiteouts, opaque folders, hard links and
// symbolic links, all inside the image; every file knows the layer that brought it.
import type { FileFacts } from '../binary/model.ts';
import type { LayerScan, ScannedEntry } from './model.ts';

/** A file of the merged view, under its real path. */
export interface TreeFile {
  readonly path: string;
  /** Place of the layer that brought it. */
  readonly layer: number;
  /** Null of a hard link whose other name was not read. */
  readonly bytes: number | null;
  readonly text: string | null;
  readonly binary: FileFacts | null;
}

export interface TreeLink {
  readonly path: string;
  readonly layer: number;
  readonly target: string;
}

interface Node {
  readonly name: string;
  readonly parent: Node | null;
  layer: number;
  kind: 'folder' | 'file' | 'link';
  entry: ScannedEntry | null;
  children: Map<string, Node> | null;
  /** Listed as such in a layer, not only a part of a path. */
  stated: boolean;
}

/** As many links as Linux follows in one path (MAXSYMLINKS). */
const mostLinks = 40;
/** Deepest path that is kept; a deeper one is passed over. */
const mostDepth = 512;

/** What an image shows when its layers lie one on the other. */
export class ImageTree {
  private readonly root: Node = folder('', null, 0, true);

  constructor(layers: readonly LayerScan[]) {
    layers.forEach((layer, at) => {
      // Whiteouts hide what lower layers brought, never what their own layer brings.
      for (const path of layer.opaque) this.empty(path);
      for (const path of layer.whiteouts) this.remove(path);
      const late: ScannedEntry[] = [];
      for (const entry of layer.entries) if (!this.add(entry, at, false)) late.push(entry);
      for (const entry of late) this.add(entry, at, true);
    });
  }

  /** The file that a path leads to, links followed; null where there is none, or where its name goes in circles. */
  file(path: string): TreeFile | null {
    const node = this.walk(path, true, false);
    return node === null || node.kind !== 'file' ? null : shown(node);
  }

  /** The real path of a file or folder; null where nothing is known to be there. */
  resolve(path: string): string | null {
    const node = this.walk(path, true, false);
    return node === null ? null : pathOf(node);
  }

  /** The link that lies at a path itself. */
  link(path: string): TreeLink | null {
    const node = this.walk(path, false, false);
    return node?.kind === 'link' ? linkOf(node) : null;
  }

  /** Layer that brought what lies at a path, links followed. */
  layerOf(path: string): number | null {
    return this.walk(path, true, false)?.layer ?? null;
  }

  /** Names in a folder, in order. */
  names(path: string): readonly string[] {
    const node = this.walk(path, true, false);
    return node?.children === null || node === null ? [] : [...node.children.keys()].sort(byText);
  }

  isFolder(path: string): boolean {
    return this.walk(path, true, false)?.kind === 'folder';
  }

  /** Every file under its real path, and every link, in order of path. */
  everything(): {
    readonly files: readonly TreeFile[];
    readonly links: readonly TreeLink[];
    readonly folders: readonly string[];
  } {
    const files: TreeFile[] = [];
    const links: TreeLink[] = [];
    const folders: string[] = [];
    const stack: { readonly node: Node; readonly path: string }[] = [{ node: this.root, path: '' }];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const { node, path } = at;
      if (node.kind === 'file') files.push(shown(node, path));
      else if (node.kind === 'link') links.push({ path, layer: node.layer, target: node.entry?.target ?? '' });
      else if (path !== '') folders.push(path);
      for (const child of node.children?.values() ?? []) stack.push({ node: child, path: `${path}/${child.name}` });
    }
    const order = (a: { path: string }, b: { path: string }): number => byText(a.path, b.path);
    return { files: files.sort(order), links: links.sort(order), folders: folders.sort(byText) };
  }

  private empty(path: string): void {
    const node = this.walk(path, true, false);
    if (node !== null && node.kind === 'folder') node.children = new Map();
  }

  private remove(path: string): void {
    // The folder of a whiteout may be reached through a link, the whiteout's own name is no link to follow.
    const node = this.walk(path, false, false);
    if (node?.parent !== null) node?.parent.children?.delete(node.name);
  }

  /** @returns false where a hard link names a file that was not met yet */
  private add(entry: ScannedEntry, layer: number, last: boolean): boolean {
    const cut = entry.path.lastIndexOf('/');
    const name = entry.path.slice(cut + 1);
    if (name === '' || name === '.' || name === '..' || !entry.path.startsWith('/')) return true;
    let content: ScannedEntry | null = entry;
    if (entry.type === 'hardlink') {
      const other = this.walk(entry.target ?? '', false, false);
      if (other === null || other.kind === 'folder') {
        if (!last) return false;
        content = null;
      } else content = other.entry;
    }
    const parent = this.walk(entry.path.slice(0, cut), true, true, layer);
    if (parent === null || parent.kind !== 'folder') return true;
    const known = parent.children?.get(name);
    if (entry.type === 'directory') {
      if (known?.kind === 'folder') {
        known.layer = layer;
        known.stated = true;
      } else parent.children?.set(name, folder(name, parent, layer, true));
      return true;
    }
    const kind = entry.type === 'symlink' || content?.type === 'symlink' ? 'link' : 'file';
    parent.children?.set(name, { name, parent, layer, kind, entry: content, children: null, stated: true });
    return true;
  }

  /**
   * Goes down a path.
   * @param follow the last part too is followed where it is a link
   * @param make folders that are missing are made
   */
  private walk(path: string, follow: boolean, make: boolean, layer = 0): Node | null {
    // Parts still to go, the next one last.
    const parts = partsOf(path).reverse();
    let at: Node = this.root;
    let hops = 0;
    let depth = 0;
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      if (part === '..') {
        // The root is its own parent: nothing leads out of the image.
        at = at.parent ?? this.root;
        continue;
      }
      if (++depth > mostDepth + mostLinks * 8) return null;
      let next = at.children?.get(part);
      if (next === undefined || (make && next.kind === 'file')) {
        if (!make || depthOf(at) >= mostDepth) return null;
        next = folder(part, at, layer, false);
        at.children?.set(part, next);
      }
      if (next.kind === 'link' && (parts.length > 0 || follow)) {
        if (++hops > mostLinks) return null;
        const target = next.entry?.target ?? '';
        if (target.length > 4096) return null;
        if (target.startsWith('/')) at = this.root;
        const more = partsOf(target);
        if (more.length + parts.length > mostDepth * 2) return null;
        parts.push(...more.reverse());
        continue;
      }
      if (parts.length > 0 && next.kind === 'file') return null;
      at = next;
    }
    return at;
  }
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

function folder(name: string, parent: Node | null, layer: number, stated: boolean): Node {
  return { name, parent, layer, kind: 'folder', entry: null, children: new Map(), stated };
}

function depthOf(node: Node): number {
  let depth = 0;
  for (let at = node.parent; at !== null; at = at.parent) depth++;
  return depth;
}

function pathOf(node: Node): string {
  const parts: string[] = [];
  for (let at: Node | null = node; at !== null && at.parent !== null; at = at.parent) parts.push(at.name);
  return `/${parts.reverse().join('/')}`;
}

function shown(node: Node, path = pathOf(node)): TreeFile {
  const { entry, layer } = node;
  return {
    path,
    layer,
    bytes: entry === null ? null : entry.bytes,
    text: entry?.text ?? null,
    binary: entry?.binary ?? null,
  };
}

function linkOf(node: Node): TreeLink {
  return { path: pathOf(node), layer: node.layer, target: node.entry?.target ?? '' };
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
