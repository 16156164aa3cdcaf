/** Longest fragment of an address; browsers take more, chat programs often do not. */
const mostFragment = 30_000;
/** What a fragment may unpack to: a link of a stranger must not fill the memory. */
const mostUnpacked = 4 * 1024 * 1024;

interface Linked {
  readonly name: string;
  readonly text: string;
}

/** Packs inputs for the fragment of an address (deflate, base64url); null where they are too long. */
export async function packed(inputs: readonly Linked[]): Promise<string | null> {
  const stream = new Blob([JSON.stringify(inputs)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  if (bytes.length > (mostFragment * 3) / 4) return null;
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Unpacks what `packed` made.
 * @throws Error where it is no such text, or is longer than a link of this page holds
 */
export async function unpacked(fragment: string): Promise<readonly Linked[]> {
  const bytes = Uint8Array.from(atob(fragment.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    text += decoder.decode(chunk.value, { stream: true });
    if (text.length > mostUnpacked) {
      await reader.cancel();
      throw new Error('the text in this link is too long');
    }
  }
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) throw new Error('the link holds no input');
  return value.flatMap((each: unknown) =>
    typeof each === 'object' && each !== null && 'name' in each && 'text' in each
      ? [{ name: String(each.name).slice(0, 200), text: String(each.text) }]
      : [],
  );
}
