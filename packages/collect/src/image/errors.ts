/** Why an image could not be read. */
export type ImageErrorCode =
  /** The reference or path is written wrongly, or there is nothing of that name. */
  | 'no-image'
  /** The image is there, for other platforms than the one that was asked for. */
  | 'no-platform'
  /** The registry wants credentials, or does not accept those that were given. */
  | 'denied'
  /** No answer, a broken connection, a certificate that is not trusted. */
  | 'unreachable'
  /** Content is not what its digest says, or is damaged or cut. */
  | 'damaged'
  /** Something of the image is too large, too deep or too many. */
  | 'too-much'
  /** An option has a value that cannot be. */
  | 'bad-option';

/** An image could not be read: what happened and where, and what helps. */
export class ImageError extends Error {
  readonly code: ImageErrorCode;
  readonly hint: string | null;

  constructor(code: ImageErrorCode, message: string, hint: string | null = null) {
    super(message);
    this.name = 'ImageError';
    this.code = code;
    this.hint = hint;
  }
}
