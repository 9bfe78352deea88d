// The protocol's bytes are Node's buffers; a tab brings its own.
import { Buffer as TabBuffer } from "buffer/";

globalThis.Buffer = TabBuffer as unknown as typeof Buffer;
