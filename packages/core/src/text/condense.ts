import type { Document } from '../model/document.ts';
import type { SignatureRow } from '../knowledge/signatures/signature.types.ts';
import { createDocument } from './document.ts';

export class Condenser {
  private readonly file: string;
  private readonly parts: string[] = [];
  private readonly decoder: TextDecoder = new TextDecoder();
  constructor(_signatures: readonly SignatureRow[], file: string) {
    this.file = file;
  }
  push(bytes: Uint8Array): void {
    this.parts.push(this.decoder.decode(bytes, { stream: true }));
  }
  finish(left: readonly string[]): Document | { readonly text: string } {
    void left;
    void createDocument;
    void this.file;
    return { text: this.parts.join('') + this.decoder.decode() };
  }
}
