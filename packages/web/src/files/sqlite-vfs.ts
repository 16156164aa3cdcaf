import type { SyncSource } from './blob-file.ts';

/** Structures of C, as the library makes them. */
interface Struct {
  readonly pointer: number;
  $iVersion: number;
  dispose(): void;
}

interface VfsStruct extends Struct {
  $szOsFile: number;
  $mxPathname: number;
}

interface FileStruct extends Struct {
  $pMethods: number;
}

/** What of the library is used (https://sqlite.org/wasm/doc/trunk/api-c-style.md). */
export interface Sqlite {
  readonly capi: {
    readonly SQLITE_OPEN_READONLY: number;
    readonly SQLITE_OPEN_URI: number;
    readonly SQLITE_TRANSIENT: number;
    readonly sqlite3_io_methods: new () => Struct;
    readonly sqlite3_vfs: new () => VfsStruct;
    readonly sqlite3_file: (new (pointer: number) => FileStruct) & { readonly structInfo: { readonly sizeof: number } };
    sqlite3_vfs_unregister(vfs: number): number;
    sqlite3_open_v2(name: string, database: number, flags: number, vfs: string): number;
    sqlite3_close_v2(database: number): number;
    sqlite3_errmsg(database: number): string;
    sqlite3_prepare_v2(database: number, sql: string, length: number, statement: number, tail: number): number;
    sqlite3_finalize(statement: number): number;
    sqlite3_reset(statement: number): number;
    sqlite3_column_count(statement: number): number;
    sqlite3_bind_null(statement: number, at: number): number;
    sqlite3_bind_int64(statement: number, at: number, value: bigint): number;
    sqlite3_bind_double(statement: number, at: number, value: number): number;
    sqlite3_bind_text(statement: number, at: number, value: string, length: number, destructor: number): number;
    sqlite3_bind_blob(statement: number, at: number, value: Uint8Array, length: number, destructor: number): number;
  };
  readonly vfs: {
    installVfs(parts: Readonly<Record<string, unknown>>): void;
  };
  readonly wasm: {
    alloc(bytes: number): number;
    dealloc(pointer: number): void;
    peekPtr(pointer: number): number;
    poke(pointer: number, value: number | bigint, type: string): void;
    heap8u(): Uint8Array;
    cstrncpy(to: number, from: number, length: number): number;
    /** The functions themselves: what is called for each row goes around the conversions of `capi`. */
    readonly exports: {
      sqlite3_step(statement: number): number;
      sqlite3_column_type(statement: number, column: number): number;
      sqlite3_column_double(statement: number, column: number): number;
      sqlite3_column_int64(statement: number, column: number): bigint;
      sqlite3_column_text(statement: number, column: number): number;
      sqlite3_column_blob(statement: number, column: number): number;
      sqlite3_column_bytes(statement: number, column: number): number;
    };
  };
}

/** Results and answers of a file system (https://www.sqlite.org/rescode.html, https://www.sqlite.org/c3ref/c_iocap_atomic.html). */
const ok = 0;
const cannotOpen = 14;
const notFound = 12;
const readOnly = 8;
const shortRead = 522;
const readError = 266;
const immutable = 0x2000;

let count = 0;

/** A file system with one file, which is only read. To be closed after the database. */
export function sourceVfs({ capi, vfs, wasm }: Sqlite, source: SyncSource): { readonly name: string; close(): void } {
  const name = `source-${++count}`;
  const io = new capi.sqlite3_io_methods();
  const system = new capi.sqlite3_vfs();
  io.$iVersion = 1;
  system.$iVersion = 1;
  system.$szOsFile = capi.sqlite3_file.structInfo.sizeof;
  system.$mxPathname = 512;
  const number = (pointer: number, value: number): number => {
    wasm.poke(pointer, value, 'i32');
    return ok;
  };
  vfs.installVfs({
    io: {
      struct: io,
      methods: {
        xClose: (_file: number) => ok,
        xRead: (_file: number, to: number, length: number, offset: bigint) => {
          try {
            const bytes = source.read(Number(offset), length);
            const heap = wasm.heap8u();
            heap.set(bytes, to);
            if (bytes.length === length) return ok;
            heap.fill(0, to + bytes.length, to + length);
            return shortRead;
          } catch {
            return readError;
          }
        },
        xWrite: (_file: number, _from: number, _length: number, _offset: bigint) => readOnly,
        xTruncate: (_file: number, _size: bigint) => readOnly,
        xSync: (_file: number, _flags: number) => ok,
        xFileSize: (_file: number, size: number) => {
          wasm.poke(size, BigInt(source.size), 'i64');
          return ok;
        },
        xLock: (_file: number, _kind: number) => ok,
        xUnlock: (_file: number, _kind: number) => ok,
        xCheckReservedLock: (_file: number, out: number) => number(out, 0),
        xFileControl: (_file: number, _op: number, _argument: number) => notFound,
        xSectorSize: (_file: number) => 4096,
        xDeviceCharacteristics: (_file: number) => immutable,
      },
    },
    vfs: {
      name,
      struct: system,
      methods: {
        xOpen: (_vfs: number, path: number, file: number, flags: number, outFlags: number) => {
          // A file without a name is one for temporary results: those are held in memory instead.
          if (path === 0) return cannotOpen;
          const struct = new capi.sqlite3_file(file);
          struct.$pMethods = io.pointer;
          struct.dispose();
          return outFlags === 0 ? ok : number(outFlags, flags);
        },
        xDelete: (_vfs: number, _path: number, _sync: number) => ok,
        xAccess: (_vfs: number, _path: number, _flags: number, out: number) => number(out, 0),
        xFullPathname: (_vfs: number, path: number, length: number, out: number) =>
          wasm.cstrncpy(out, path, length) < length ? ok : cannotOpen,
        xRandomness: (_vfs: number, length: number, out: number) => {
          wasm.heap8u().fill(7, out, out + length);
          return length;
        },
        xSleep: (_vfs: number, _microseconds: number) => ok,
        xCurrentTime: (_vfs: number, out: number) => {
          wasm.poke(out, 2_440_587.5 + Date.now() / 86_400_000, 'double');
          return ok;
        },
        xGetLastError: (_vfs: number, _length: number, _out: number) => ok,
      },
    },
  });
  return {
    name,
    close: () => {
      capi.sqlite3_vfs_unregister(system.pointer);
      system.dispose();
      io.dispose();
    },
  };
}
